import Foundation
import LoopbackServer
import NetworkCore
import Testing

// One at a time: each takes all of the machine while it lasts.
@Suite(
  "Servers of HTTP/2 that send frames without end and nothing in them", .serialized, .timeLimit(.minutes(5)))
struct FloodTests {
  /// Frames of HTTP/2 (RFC 9113, section 6) that belong to no answer.
  enum Frame: String, CaseIterable {
    case emptyData, priority, windowUpdate, unknown

    var bytes: [UInt8] {
      switch self {
      case .emptyData: [0, 0, 0, 0, 0, 0, 0, 0, 1]
      case .priority: [0, 0, 5, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
      case .windowUpdate: [0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 1]
      case .unknown: [0, 0, 0, 99, 0, 0, 0, 0, 1]
      }
    }
  }

  @Test("they hold up neither their own transfer nor the others of its thread", arguments: Frame.allCases)
  func each(frame: Frame) async throws {
    try await flood(frame)
  }

  @Test("nor where the thread of each has a small part of the processors' time")
  func many() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<16 { group.addTask { try await flood(.unknown) } }
      try await group.waitForAll()
    }
  }

  private func flood(_ frame: Frame) async throws {
    let (settings, head): ([UInt8], [UInt8]) = (
      [0, 0, 0, 4, 0, 0, 0, 0, 0], [0, 0, 1, 1, 4, 0, 0, 0, 1, 0x88]
    )
    let flood = [[UInt8]](repeating: frame.bytes, count: 20_000).flatMap(\.self)
    let (floods, begin) = AsyncStream.makeStream(of: Void.self)
    let server = try RawServer { stream, _ in
      _ = stream.read(until: "asked")
      stream.write(settings + head)
      begin.yield()
      while stream.write(flood) {}
    }
    var configuration = CurlConfiguration()
    configuration.httpVersion = .http2PriorKnowledge
    let transport = try CurlTransport(configuration: configuration)
    let flooded = transport.record(
      .init(
        method: .post, url: "http://127.0.0.1:\(server.port)", body: .data(Data("asked".utf8)),
        idleTimeout: 5))
    for await _ in floods { break }
    let cancelled = transport.record(.init(url: "http://127.0.0.1:\(server.port)/never"))
    cancelled.transfer.cancel()
    #expect(await cancelled.recorder.end().error == .cancelled)
    // Where others leave the server little time, libcurl sees an end of what it sends, and the idle time can pass.
    switch await flooded.recorder.end().error {
    case .badServerResponse?, .timedOut(.idle, after: 5)?: break
    case let other: Issue.record("\(String(describing: other))")
    }
  }
}
