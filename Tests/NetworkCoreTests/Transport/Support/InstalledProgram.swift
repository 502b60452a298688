import ReactiveNetworkChildProcess
import Foundation

/// An installed program that a test needs.
enum InstalledProgram: String {
  case nginx
  case openssl
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

  static var canServeTLS: Bool { InstalledProgram.nginx.path != nil && InstalledProgram.openssl.path != nil }

  /// The reason for skipping a test.
  static let skipReason = "needs the programs nginx and openssl"

  /// Runs the program to its end and returns its output; its input and output are files in `directory`.
  @discardableResult
  func run(_ arguments: [String], input: Data = Data(), in directory: URL) throws -> Data {
    guard let path else { throw Failure(program: rawValue, status: -1, words: "not installed") }
    let base = directory.appendingPathComponent(UUID().uuidString).path
    let files = ["\(base).in", "\(base).out", "\(base).err"]
    try input.write(to: URL(fileURLWithPath: files[0]))
    defer { for file in files { try? FileManager.default.removeItem(atPath: file) } }
    let child = try ChildProcess(
      path, arguments, input: .file(files[0]), output: .file(files[1]), errors: .file(files[2]))
    let status = child.wait()
    guard status == 0 else {
      let words = (try? String(contentsOfFile: files[2], encoding: .utf8)) ?? ""
      throw Failure(program: rawValue, status: status, words: words)
    }
    return try Data(contentsOf: URL(fileURLWithPath: files[1]))
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
