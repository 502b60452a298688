import ReactiveNetworkChildProcess
import Foundation
import LoopbackServer
import NetworkCore

/// An HTTP/3 server for one test, on a free port of 127.0.0.1: `Tests/HTTP3Server/serve.py`, which uses
/// aioquic, because `LoopbackServer` does not speak HTTP/3.
///
/// It ends when this object is released or this process ends.
final class HTTP3Server: Sendable {
  struct Failure: Error {
    let words: String
  }

  /// The reason for skipping a test.
  static let skipReason =
    "needs python3 with aioquic, and a libcurl with HTTP/3 (see CONTRIBUTING)"

  /// `true` if the programs are installed, and libcurl can communicate with the server.
  static let isAvailable: Bool = {
    guard let python = InstalledProgram.python3.path else { return false }
    var configuration = CurlConfiguration()
    configuration.httpVersion = .http3
    guard (try? CurlTransport(configuration: configuration)) != nil,
      let child = try? ChildProcess(
        python, ["-c", "import aioquic.asyncio, aioquic.h3.connection"], input: .none)
    else { return false }
    return child.wait() == 0
  }()

  let port: UInt16
  private let process: ChildProcess
  private let lifeline: CInt
  private let directory: URL

  init(_ identity: LoopbackServer.Identity, port wanted: UInt16? = nil) throws {
    guard let python = InstalledProgram.python3.path else { throw Failure(words: "python3 is not installed") }
    directory = FileManager.default.temporaryDirectory.appendingPathComponent("http3-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../HTTP3Server/serve.py").standardizedFileURL.path
    let (end, lifeline) = try uninheritedSocketPair()
    defer { close(end) }
    self.lifeline = lifeline
    let certificate = directory.appendingPathComponent("certificate")
    let key = directory.appendingPathComponent("key")
    try identity.certificate.write(to: certificate)
    try identity.key.write(to: key)
    let output = directory.appendingPathComponent("events").path
    let errors = directory.appendingPathComponent("errors").path
    process = try ChildProcess(
      python, [script, "\(wanted ?? 0)", certificate.path, key.path], input: .descriptor(end),
      output: .file(output), errors: .file(errors))
    var (words, found) = ("", UInt16?.none)
    let folder = directory
    _ = waitUntil {
      words = (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""
      found = Self.events(in: folder).first { $0.hasPrefix("ready ") }.flatMap { UInt16($0.dropFirst(6)) }
      return found != nil || words.contains("Error")
    }
    guard let found else { throw Failure(words: "it does not start: \(words)") }
    port = found
  }

  deinit {
    close(lifeline)
    process.wait()
    try? FileManager.default.removeItem(at: directory)
  }

  var origin: String { "https://127.0.0.1:\(port)" }

  /// The events that the server has reported, one per line.
  var events: [String] { Self.events(in: directory) }

  private static func events(in directory: URL) -> [String] {
    let text = try? String(contentsOf: directory.appendingPathComponent("events"), encoding: .utf8)
    return (text ?? "").split(separator: "\n").map(String.init)
  }

  func count(_ event: String) -> Int { events.count { $0 == event } }

  /// Waits until the server has reported an event.
  func waitForEvent(_ event: String, times: Int = 1) throws {
    guard waitUntil({ count(event) >= times }) else {
      throw Failure(words: "\(event) was not reported: \(events)")
    }
  }
}
