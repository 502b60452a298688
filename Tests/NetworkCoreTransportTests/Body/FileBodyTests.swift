import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("File bodies", .timeLimit(.minutes(5)))
struct FileBodyTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test("a file is sent byte for byte", arguments: TransportKind.allCases, [0, 1, 65_536, 65_537, 1_048_576])
  func whole(kind: TransportKind, count: Int) async throws {
    let server = try LoopbackServer { _ in .status(200) }
    let data = Data(Data.megabyte.prefix(count))
    let file = try folder.file(containing: data)
    let events = await (try kind.make()).exchange(.init(method: .put, url: server.origin, body: .file(file)))
    #expect(events.error == nil)
    let isWhole = server.log.requests.map(\.body) == [data]
    #expect(isWhole)
    if kind == .curl { #expect(server.log.requests.last?.headers["Content-Length"] == "\(count)") }
  }

  @Test(
    "an unreadable file is an error that names it, and nothing is sent",
    arguments: TransportKind.allCases, ["missing", "folder", "pipe"])
  func unreadable(kind: TransportKind, name: String) async throws {
    let server = try LoopbackServer { _ in .status(200) }
    let file = folder.file(name)
    if name == "folder" {
      try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
    }
    if name == "pipe" { mkfifo(file.path, 0o600) }
    let events = await (try kind.make()).exchange(.init(method: .put, url: server.origin, body: .file(file)))
    #expect(
      events.error
        == .cannotReadFile(
          path: file.path,
          reason: name == "missing" ? "No such file or directory" : "it is not a regular file"))
    #expect(server.log.connectionsAccepted == 0)
  }

  @Test("a URL that is not a file URL is rejected")
  func notAFile() async throws {
    let url = try #require(URL(string: "http://127.0.0.1/file"))
    let events = await (try CurlTransport()).exchange(
      .init(method: .put, url: "http://127.0.0.1:1/", body: .file(url)))
    #expect(
      events.error == .cannotReadFile(path: "http://127.0.0.1/file", reason: "it is not a file URL"))
  }

  @Test("a Content-Length that differs from the file's size is rejected")
  func contradiction() async throws {
    let server = try LoopbackServer { _ in .status(200) }
    let file = try folder.file(containing: Data("12345".utf8))
    let transport = try CurlTransport()
    let request = TransportRequest(
      method: .put, url: server.origin, headers: ["Content-Length": "4"], body: .file(file))
    #expect(
      await transport.exchange(request).error == .invalidField(name: "Content-Length", value: "4"))
    #expect(server.log.connectionsAccepted == 0)
  }

  @Test("what is appended to a file after its length is known is not sent", arguments: [0, 5, 200_000])
  func growth(count: Int) async throws {
    let data = Data(Data.megabyte.prefix(count))
    let file = try folder.file(containing: data)
    let (wakeUps, wakeUp) = AsyncStream.makeStream(of: Void.self)
    var reader = try TransportRequest(method: .put, url: "http://h/", body: .file(file)).bodyReader {
      wakeUp.yield()
    }
    #expect(reader.length == Int64(count))
    let handle = try FileHandle(forWritingTo: file)
    try handle.seekToEnd()
    try handle.write(contentsOf: Data("more".utf8))
    try handle.close()
    var read = Data()
    var buffer = [UInt8](repeating: 0, count: 50_000)
    var turns = wakeUps.makeAsyncIterator()
    while true {
      guard let count = try buffer.withUnsafeMutableBytes({ try reader.read(into: $0) }) else {
        _ = await turns.next()
        continue
      }
      guard count > 0 else { break }
      read += buffer.prefix(count)
    }
    let isWhole = read == data
    #expect(isWhole)
  }

  @Test("307 sends the file again", arguments: TransportKind.allCases)
  func redirect(kind: TransportKind) async throws {
    let server = try LoopbackServer { $0.path == "/end" ? .text("end") : .redirect(to: "/end", status: 307) }
    let data = Data(Data.megabyte.prefix(300_000))
    let file = try folder.file(containing: data)
    let events = await (try kind.make()).exchange(.init(method: .put, url: server.origin, body: .file(file)))
    #expect(events.error == nil)
    let isWhole = server.log.requests.map(\.body) == [data, data]
    #expect(isWhole)
  }

  @Test("HEAD sends no body, and does not open the file")
  func head() async throws {
    let server = try LoopbackServer { _ in .status(200) }
    let events = await (try CurlTransport()).exchange(
      .init(method: .head, url: server.origin, body: .file(folder.file("missing"))))
    #expect(events.error == nil)
    #expect(server.log.requests.map(\.bodyLength) == [0])
  }
}
