import Foundation

/// A program of the system's that a test needs.
enum Tool: String {
  case nginx
  case openssl

  struct Failure: Error {
    let program: String
    let status: CInt
    let words: String
  }

  /// Where it is; `nil` where it is not installed.
  var path: String? {
    let directories = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(
      String.init)
    return (directories + ["/usr/sbin", "/usr/local/sbin"]).map { "\($0)/\(rawValue)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  static var canServeTLS: Bool { Tool.nginx.path != nil && Tool.openssl.path != nil }

  /// Why a test is skipped.
  static let comment = "needs the programs nginx and openssl"

  /// Runs the program to its end and returns what it prints; all it reads and writes are files in `directory`.
  @discardableResult
  func run(_ arguments: [String], input: Data = Data(), in directory: URL) throws -> Data {
    guard let path else { throw Failure(program: rawValue, status: -1, words: "not installed") }
    let base = directory.appendingPathComponent(UUID().uuidString).path
    let files = ["\(base).in", "\(base).out", "\(base).err"]
    try input.write(to: URL(fileURLWithPath: files[0]))
    let input = open(files[0], O_RDONLY | O_CLOEXEC)
    guard input >= 0 else { throw Failure(program: rawValue, status: errno, words: "no descriptor") }
    defer {
      close(input)
      for file in files { try? FileManager.default.removeItem(atPath: file) }
    }
    let child = try ChildProcess(path, arguments, input: input, output: files[1], errors: files[2])
    let status = child.wait()
    guard status == 0 else {
      let words = (try? String(contentsOfFile: files[2], encoding: .utf8)) ?? ""
      throw Failure(program: rawValue, status: status, words: words)
    }
    return try Data(contentsOf: URL(fileURLWithPath: files[1]))
  }
}

/// A process of our own.
///
/// Not Foundation's `Process`: on Linux two that run at once may inherit each other's pipes, and then neither ends.
struct ChildProcess: Sendable {
  let id: pid_t

  /// Starts a program with a descriptor as its input, and files for its output and its complaints.
  init(_ path: String, _ arguments: [String], input: CInt, output: String, errors: String) throws {
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
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    // libcurl as other clients use it, and Foundation, leave sockets open on exec: a server would not see them close.
    let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    let last = open.compactMap { CInt($0) }.max() ?? 255
    // A margin for what other threads open meanwhile; that most are not open is no error.
    for descriptor in 3...(last + 256) { posix_spawn_file_actions_addclose(&actions, descriptor) }
    for (descriptor, file) in [(CInt(1), output), (2, errors)] {
      posix_spawn_file_actions_addopen(&actions, descriptor, file, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    }
    let words = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var id: pid_t = 0
    let code = posix_spawn(&id, path, &actions, &attributes, words, environ)
    guard code == 0 else {
      throw Tool.Failure(program: path, status: code, words: String(cString: strerror(code)))
    }
    self.id = id
  }

  /// Waits for the end and returns the exit status; that of a signal is its negative.
  ///
  /// Nobody's end is no success: where there is nothing to wait for, that is -1000 less the system's reason.
  @discardableResult
  func wait() -> CInt {
    var status: CInt = 0
    while waitpid(id, &status, 0) < 0 {
      let reason = errno
      guard reason == EINTR else { return -1000 - reason }
    }
    return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
  }
}

/// The two ends of a connection that no child inherits.
func privatePair() throws -> (CInt, CInt) {
  var ends: [CInt] = [-1, -1]
  #if canImport(Glibc)
    let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
    let isMade = socketpair(AF_UNIX, kind, 0, &ends) == 0
  #else
    let isMade =
      socketpair(AF_UNIX, SOCK_STREAM, 0, &ends) == 0
      && ends.allSatisfy { fcntl($0, F_SETFD, FD_CLOEXEC) == 0 }
  #endif
  guard isMade else { throw Tool.Failure(program: "socketpair", status: errno, words: "no sockets") }
  return (ends[0], ends[1])
}
