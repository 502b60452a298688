import ReactiveNetworkChildProcess
import Foundation

/// A TLS server (`openssl s_server`) that sends what a test specifies, whatever the request, to one client
/// after another.
final class OpenSSLServer: Sendable {
  struct Failure: Error {
    let words: String
  }

  let port: UInt16
  private let process: ChildProcess
  private let input: CInt
  private let directory: URL

  /// Starts the server; `version` is the protocol that it negotiates with its clients (ALPN), such as `h2`.
  init(_ identity: CertificateAuthority.Identity, version: String? = nil) throws {
    guard let path = InstalledProgram.openssl.path else { throw Failure(words: "openssl is not installed") }
    directory = FileManager.default.temporaryDirectory.appendingPathComponent("server-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    port = try freePort()
    let (end, input) = try uninheritedSocketPair()
    defer { close(end) }
    self.input = input
    let options = [
      "-quiet", "-accept", "127.0.0.1:\(port)", "-cert", identity.certificate, "-key", identity.key,
    ]
    let agreed = version.map { ["-alpn", $0] } ?? []
    process = try ChildProcess(
      path, ["s_server"] + options + agreed, input: .descriptor(end),
      output: .file(directory.appendingPathComponent("received").path))
    let port = port
    try Self.wait("it does not listen") { isPortOpen(port) }
  }

  deinit {
    kill(process.id, SIGKILL)
    process.wait()
    close(input)
    try? FileManager.default.removeItem(at: directory)
  }

  var origin: String { "https://127.0.0.1:\(port)" }

  /// Sends text to the current client.
  func send(_ text: String) {
    send(Array(text.utf8))
  }

  /// Sends bytes to the current client.
  func send(_ bytes: [UInt8]) {
    _ = write(input, bytes, bytes.count)
  }

  /// Closes the connection without close_notify, as an attacker on the network could.
  func closeWithoutCloseNotify() {
    kill(process.id, SIGKILL)
  }

  /// Returns the number of times that the server has received a text.
  func count(_ text: String) -> Int {
    var rest = (try? Data(contentsOf: directory.appendingPathComponent("received"))) ?? Data()
    var count = 0
    while let found = rest.range(of: Data(text.utf8)) {
      rest = rest[found.upperBound...]
      count += 1
    }
    return count
  }

  /// Waits until the server has received a text after the last time that it has received another one.
  func waitToReceive(_ text: String, after earlier: String) throws {
    try Self.wait("\(text) was not received after \(earlier)") {
      let received = (try? Data(contentsOf: directory.appendingPathComponent("received"))) ?? Data()
      guard let last = received.range(of: Data(earlier.utf8), options: .backwards) else { return false }
      return received.range(of: Data(text.utf8), in: last.upperBound..<received.endIndex) != nil
    }
  }

  /// Waits until the server has received a text `times` times, or until `isOver` returns `true`.
  func waitToReceive(_ text: String, times: Int = 1, unless isOver: () -> Bool = { false }) throws {
    try Self.wait("\(text) was not received") { count(text) >= times || isOver() }
  }

  private static func wait(_ words: String, until condition: () -> Bool) throws {
    guard waitUntil(condition) else { throw Failure(words: words) }
  }
}
