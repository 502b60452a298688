import ReactiveNetworkChildProcess
import Foundation

/// An installed program that a test needs.
enum InstalledProgram: String {
  case nginx
  case python3

  struct Failure: Error {
    let program: String
    let status: CInt
    let words: String
  }

  /// The path of the program; `nil` if it is not installed.
  var path: String? {
    let directories = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(
      String.init)
    return (directories + ["/usr/sbin", "/usr/local/sbin"]).map { "\($0)/\(rawValue)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}

/// Returns two connected sockets that no child process inherits.
func uninheritedSocketPair() throws -> (CInt, CInt) {
  var ends: [CInt] = [-1, -1]
  #if canImport(Glibc)
    let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
    let isMade = socketpair(AF_UNIX, kind, 0, &ends) == 0
  #else
    let isMade =
      socketpair(AF_UNIX, SOCK_STREAM, 0, &ends) == 0
      && ends.allSatisfy { fcntl($0, F_SETFD, FD_CLOEXEC) == 0 }
  #endif
  guard isMade else {
    throw InstalledProgram.Failure(program: "socketpair", status: errno, words: "no sockets")
  }
  return (ends[0], ends[1])
}
