package import Foundation

/// A process that a test starts.
///
/// Not Foundation's `Process`: on Linux two that run at once may inherit each other's pipes, and then neither ends; and to
/// start one where more than some 1,360 descriptors are open reads behind the end of a buffer, which stops the tests with signal
/// 11 where there is nothing behind it.
package struct ChildProcess: Sendable {
  /// Why a process was not started.
  package struct Failure: Error {
    package let program: String
    package let reason: String
  }

  /// Where its input comes from, or its output goes.
  package enum Stream {
    /// A descriptor of this process, which goes on being the caller's to close.
    case descriptor(CInt)
    case file(String)

    /// Reads nothing and drops what is written.
    package static let none = Stream.file("/dev/null")
  }

  package let id: pid_t

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - path: where it is.
  ///   - arguments: without its own name.
  ///   - environment: what differs from that of this process.
  ///   - input: a file is read from its beginning.
  ///   - output: a file is made, or made empty.
  ///   - errors: the same for its complaints.
  /// - Throws: `Failure`.
  package init(
    _ path: String, _ arguments: [String], environment: [String: String] = [:], input: Stream,
    output: Stream = .none, errors: Stream = .none
  ) throws {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    // The threads of Swift's pool have most signals blocked, and a child would inherit that.
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (descriptor, stream) in [(CInt(0), input), (1, output), (2, errors)] {
      switch stream {
      case .descriptor(let other): posix_spawn_file_actions_adddup2(&actions, other, descriptor)
      case .file(let file):
        let flags = descriptor == 0 ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC
        posix_spawn_file_actions_addopen(&actions, descriptor, file, flags, 0o600)
      }
    }
    // libcurl as other clients use it, and Foundation, leave sockets open on exec: a server would not see them close.
    let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    let last = open.compactMap { CInt($0) }.max() ?? 255
    // A margin for what other threads open meanwhile; that most are not open is no error.
    for descriptor in 3...(last + 256) { posix_spawn_file_actions_addclose(&actions, descriptor) }
    let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let words = ([path] + arguments).map { strdup($0) } + [nil]
    let settings = variables.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in words + settings { free(text) } }
    var id: pid_t = 0
    let code = posix_spawn(&id, path, &actions, &attributes, words, settings)
    guard code == 0 else { throw Failure(program: path, reason: String(cString: strerror(code))) }
    self.id = id
  }

  /// Blocks until the end and returns the exit status; that of a signal is its negative.
  ///
  /// Nobody's end is no success: where there is nothing to wait for, that is -1000 less the system's reason.
  @discardableResult
  package func wait() -> CInt {
    var status: CInt = 0
    while waitpid(id, &status, 0) < 0 {
      let reason = errno
      guard reason == EINTR else { return -1000 - reason }
    }
    return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
  }
}
