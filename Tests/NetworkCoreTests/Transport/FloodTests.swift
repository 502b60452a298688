import Foundation
import LoopbackServer
import NetworkCore
import Testing

// One at a time: each takes all of the machine while it lasts.
@Suite(
  "Servers that send without end and nothing that is of use", .serialized, .timeLimit(.minutes(5)))
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

  @Test(
    "frames of HTTP/2 hold up neither their own transfer nor the others of its thread",
    arguments: Frame.allCases)
  func each(frame: Frame) async throws {
    _ = try await flood(frame)
  }

  @Test("nor do they where the thread of each has a small part of the processors' time")
  func many() async throws {
    let ended = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<16 { group.addTask { try await flood(.unknown) } }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    // 8.12 returns while the flood goes on, so that it holds up nobody, and the idle time ends each.
    if !Self.isReturning { #expect(ended > 0) }
  }

  /// Whether libcurl returns from its call while a flood of frames goes on.
  private static let isReturning =
    (try? CurlLibrary(names: CurlLibrary.names)).map { $0.version.hasPrefix("libcurl/8.12.") } ?? false

  /// Returns whether the flood was ended for what it is.
  private func flood(_ frame: Frame) async throws -> Bool {
    let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
    let head: [UInt8] = [0, 0, 1, 1, 4, 0, 0, 0, 1, 0x88]
    var configuration = CurlConfiguration()
    configuration.httpVersion = .http2PriorKnowledge
    let error = try await cancelBeside("asked", settings + head, frame.bytes) { port in
      let request = TransportRequest(
        method: .post, url: "http://127.0.0.1:\(port)", body: .data(Data("asked".utf8)),
        idleTimeout: TestTime.idle)
      return (try CurlTransport(configuration: configuration), request)
    }
    // Where others leave the server little time, libcurl sees an end of what it sends, and the idle time can pass.
    switch error {
    case .badServerResponse?: return true
    case .timedOut(.idle, after: TestTime.idle)?: break
    case let other: Issue.record("\(String(describing: other))")
    }
    return false
  }

  @Test("a proxy that refuses a tunnel without end holds up nobody")
  func proxy() async throws {
    let refusal = "HTTP/1.1 407 No\r\nContent-Length: 999999999999\r\n\r\n"
    let error = try await cancelBeside("\r\n\r\n", Array(refusal.utf8), [0]) { port in
      var configuration = CurlConfiguration()
      configuration.proxy = .proxy(CurlConfiguration.Proxy(.http, host: "127.0.0.1", port: Int(port)))
      return (
        try CurlTransport(configuration: configuration),
        .init(url: "https://server.test/", idleTimeout: TestTime.idle)
      )
    }
    switch error {
    case .badServerResponse?, .timedOut(.idle, after: TestTime.idle)?: break
    case let other: Issue.record("\(String(describing: other))")
    }
  }

  /// Starts a request to a server that floods it, and another one, which it cancels; returns how the first one ended.
  private func cancelBeside(
    _ asked: String, _ beginning: [UInt8], _ drop: [UInt8],
    _ request: (UInt16) throws -> (CurlTransport, TransportRequest)
  ) async throws -> TransferError? {
    let flood = [[UInt8]](repeating: drop, count: 180_000 / drop.count).flatMap(\.self)
    let (floods, begin) = AsyncStream.makeStream(of: Void.self)
    let server = try RawServer { stream, _ in
      _ = stream.read(until: asked)
      stream.write(beginning)
      // So that it is under way; where the other side has been closed the rest may wait long for the system's leave.
      for _ in 0..<5 { stream.write(flood) }
      begin.yield()
      while stream.write(flood) {}
    }
    let (transport, flooded) = try request(server.port)
    let recorder = transport.record(flooded).recorder
    for await _ in floods { break }
    let cancelled = transport.record(.init(url: "http://127.0.0.1:\(server.port)/never"))
    cancelled.transfer.cancel()
    #expect(await cancelled.recorder.end().error == .cancelled)
    return await recorder.end().error
  }
}
