import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

// One at a time, because each uses the whole machine while it runs.
@Suite(
  "Servers that flood a client with useless data", .serialized, .timeLimit(.minutes(5)))
struct FloodTests {
  /// HTTP/2 frames (RFC 9113, section 6) that do not belong to a response.
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
    "a flood of HTTP/2 frames blocks neither its own transfer nor the others on its thread",
    arguments: Frame.allCases)
  func each(frame: Frame) async throws {
    _ = try await flood(frame)
  }

  @Test("floods block no transfer even if each thread gets little processor time")
  func many() async throws {
    let ended = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<16 { group.addTask { try await flood(.unknown) } }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    // libcurl 8.12 returns during the flood, so it blocks nothing, and the idle timeout ends each.
    if !Self.isReturning { #expect(ended > 0) }
  }

  /// `true` if libcurl returns from its call while a flood of frames continues.
  private static let isReturning =
    (try? CurlLibrary(names: CurlLibrary.names)).map { $0.version.hasPrefix("libcurl/8.12.") } ?? false

  /// Floods a transfer; returns `true` if it was ended because of the flood.
  private func flood(_ frame: Frame) async throws -> Bool {
    let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
    let head: [UInt8] = [0, 0, 1, 1, 4, 0, 0, 0, 1, 0x88]
    var configuration = CurlConfiguration()
    configuration.httpVersion = .http2PriorKnowledge
    let error = try await cancelOtherDuringFlood("asked", settings + head, frame.bytes) { port in
      let request = TransportRequest(
        method: .post, url: "http://127.0.0.1:\(port)", body: .data(Data("asked".utf8)),
        idleTimeout: TestTimeouts.idle)
      return (try CurlTransport(configuration: configuration), request)
    }
    // If other work slows the server down, libcurl sees pauses in the flood, and the idle timeout can elapse.
    switch error {
    case .badServerResponse?: return true
    case .timedOut(.idle, after: TestTimeouts.idle, _)?: break
    case let other: Issue.record("\(String(describing: other))")
    }
    return false
  }

  @Test("a proxy that refuses a tunnel with an endless response blocks no transfer")
  func proxy() async throws {
    let refusal = "HTTP/1.1 407 No\r\nContent-Length: 999999999999\r\n\r\n"
    let error = try await cancelOtherDuringFlood("\r\n\r\n", Array(refusal.utf8), [0]) { port in
      var configuration = CurlConfiguration()
      configuration.proxy = .proxy(CurlConfiguration.Proxy(.http, host: "127.0.0.1", port: Int(port)))
      return (
        try CurlTransport(configuration: configuration),
        .init(url: "https://server.test/", idleTimeout: TestTimeouts.idle)
      )
    }
    switch error {
    case .badServerResponse?, .timedOut(.idle, after: TestTimeouts.idle, _)?: break
    case let other: Issue.record("\(String(describing: other))")
    }
  }

  /// Starts a request to a server that floods it, and cancels another one; returns the error of the first.
  private func cancelOtherDuringFlood(
    _ asked: String, _ beginning: [UInt8], _ drop: [UInt8],
    _ request: (UInt16) throws -> (CurlTransport, TransportRequest)
  ) async throws -> TransferError? {
    let flood = [[UInt8]](repeating: drop, count: 180_000 / drop.count).flatMap(\.self)
    let (floods, begin) = AsyncStream.makeStream(of: Void.self)
    let server = try RawServer { stream, _ in
      _ = stream.read(until: asked)
      stream.write(beginning)
      // Starts the flood; once the peer has closed, the remaining writes may wait long for buffer
      // space.
      for _ in 0..<5 { stream.write(flood) }
      begin.yield()
      while stream.write(flood) {}
    }
    let (transport, flooded) = try request(server.port)
    let recorder = transport.record(flooded).recorder
    for await _ in floods { break }
    let cancelled = transport.record(.init(url: "http://127.0.0.1:\(server.port)/never"))
    cancelled.transfer.cancel()
    #expect(await cancelled.recorder.waitForEnd().error == .cancelled)
    return await recorder.waitForEnd().error
  }
}
