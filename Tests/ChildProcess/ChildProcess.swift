package import Foundation

/// A process that a test starts.
///
/// Replaces Foundation's `Process`, which has two faults on Linux. Two processes that are started at the same
/// time may inherit each other's pipes, and then neither ends. If more than about 1,360 descriptors are open,
/// the start of a process reads beyond the end of a buffer. That stops the tests with signal 11 if the memory
/// there is not mapped.
package struct ChildProcess: Sendable {
  /// The reason why a process could not be started.
  package struct Failure: Error {
    package let program: String
    package let reason: String
  }

  /// The source of a process's input, or the destination of its output.
  package enum Stream {
    /// A descriptor of this process; the caller remains responsible for closing it.
    case descriptor(CInt)
    case file(String)

    /// Provides no input, and discards output.
    package static let none = Stream.file("/dev/null")
  }

  package let id: pid_t

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - path: the path of the program.
  ///   - arguments: the arguments, without the program's own name.
  ///   - environment: the variables that differ from those of this process.
  ///   - input: the standard input; a file is read from its beginning.
  ///   - output: the standard output; a file is created or truncated.
  ///   - errors: the standard error, as for `output`.
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
    // The threads of Swift's pool block most signals, and a child would inherit that.
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
    // Foundation, and the libcurl of other clients, leave sockets open across exec. The child would keep the
    // connections open, and a server would not notice their end.
    let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    let last = open.compactMap { CInt($0) }.max() ?? 255
    // The margin covers descriptors that other threads open meanwhile; closing a descriptor that is not open
    // is not an error.
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

  /// Blocks until the process has ended and returns its exit status; if a signal ended it, the negative of
  /// the signal's number.
  ///
  /// If there is no process to wait for, returns -1000 minus `errno`, so that this does not count as success.
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
