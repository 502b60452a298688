import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("The observers of one stream or download", .timeLimit(.minutes(5)))
struct BodyObservationTests {
  private let events = ObservedEvents()
  private let provider: NetworkProvider<LoopbackTarget>
  private let names = [
    "queued", "started", "connecting", "connected", "requestSent", "firstByte", "ended 200",
  ]

  private var observed: ObservedProvider<LoopbackTarget> { provider.observed(by: events.didObserve) }

  init() throws { provider = NetworkProvider(transport: try CurlTransport()) }

  /// Runs a body with the URL of a file in a new folder.
  private func withFile(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { _ = try? FileManager.default.removeItem(at: folder) }
    try await body(folder.appendingPathComponent("file"))
  }

  @Test("an observer of one stream receives only its events, and the headers are sent")
  func stream() async throws {
    let server = try LoopbackServer { _ in .text("0123456789") }
    var text = Data()
    for try await chunk in observed.stream(LoopbackTarget(server, "/a"), headers: ["X-A": "1"]) {
      text += chunk
    }
    #expect(text == Data("0123456789".utf8))
    for try await _ in provider.stream(LoopbackTarget(server, "/b")) {}
    #expect(events.names == names)
    #expect(events.all.compactMap(\.received).last == 10)
    #expect(server.log.requests.map { $0.headers["X-A"] } == ["1", nil])
  }

  @Test("an observer of a stream or download learns how much of its body was sent", arguments: [false, true])
  func sentBody(isDownload: Bool) async throws {
    let server = try LoopbackServer { _ in .text("0123456789") }
    let target = LoopbackTarget(server).with {
      $0.method = .post
      $0.task = .requestData(Data(count: 300_000))
    }
    try await withFile { file in
      if isDownload {
        let end = CompletionStream()
        observed.download(target, to: file, completion: end.completion)
        _ = try await end.next().get()
      } else {
        for try await _ in observed.stream(target) {}
      }
    }
    let sent = events.all.compactMap { event in
      if case .bodySent(let count, _) = event.kind { count } else { nil }
    }
    #expect(sent.last == 300_000)
  }

  @Test("an observer of one stream with a receiver receives its events")
  func received() async throws {
    let server = try LoopbackServer { _ in .text("0123456789") }
    let end = CompletionStream()
    let target = LoopbackTarget(server, "/a")
    observed.stream(target, headers: ["X-A": "1"]) { event in
      if case .finished(let error) = event {
        end.completion(error.map { .failure($0) } ?? .success(Response(statusCode: 200, data: Data())))
      }
    }
    _ = try await end.next().get()
    #expect(events.names == names)
    #expect(server.log.requests.map { $0.headers["X-A"] } == ["1"])
  }

  @Test("an observer of one download receives only its events, with the length of the file")
  func download() async throws {
    let server = try LoopbackServer { _ in .text("0123456789") }
    try await withFile { file in
      let end = CompletionStream()
      let target = LoopbackTarget(server, "/a")
      observed.download(target, to: file, completion: end.completion)
      #expect(try await end.next().get().fileURL == file)
      #expect(try Data(contentsOf: file) == Data("0123456789".utf8))
      provider.download(target, to: file, options: .removePreviousFile, completion: end.completion)
      _ = try await end.next().get()
    }
    #expect(events.names == names)
    let lengths = events.all.compactMap {
      if case .bodyReceived(let count, of: let length) = $0.kind { [count, length] } else { nil }
    }
    #expect(lengths.last == [10, 10])
    #expect(server.log.requests.count == 2)
  }

  @Test("the options of an observed download apply")
  func downloadOptions() async throws {
    let server = try LoopbackServer { _ in .text("new") }
    try await withFile { file in
      try Data("old".utf8).write(to: file)
      let end = CompletionStream()
      observed.download(
        LoopbackTarget(server), to: file, options: .removePreviousFile, completion: end.completion)
      _ = try await end.next().get()
      #expect(try Data(contentsOf: file) == Data("new".utf8))
    }
  }

  @Test("a cancelled stream and a cancelled download are observed as cancelled", arguments: [true, false])
  func cancelled(isDownload: Bool) async throws {
    let server = try LoopbackServer { _ in .never }
    try await withFile { file in
      let target = LoopbackTarget(server, "/a")
      let token: any Cancellable =
        isDownload
        ? observed.download(target, to: file) { _ in }
        : observed.stream(target) { _ in }
      try await server.log { $0.pending == 1 }
      token.cancel()
      try await server.log { $0.abandoned.count == 1 }
      #expect(await suspendUntil { events.names.last == "cancelled" })
    }
  }

  @Test("trailing closures keep their meaning: the first of a download's two receives the progress")
  func trailingClosures() async throws {
    let server = try LoopbackServer { _ in .text("0123456789") }
    let log = Log()
    try await withFile { file in
      let end = CompletionStream()
      provider.download(LoopbackTarget(server, "/a"), to: file) {
        log("\($0.progress)")
      } completion: {
        end.completion($0)
      }
      _ = try await end.next().get()
    }
    #expect(log.all.last == "1.0")
  }
}
