import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Bodies that decompress to a very large size", .timeLimit(.minutes(5)))
struct DecompressionBombTests {
  /// Counts the zeros of a body, and pauses its transfer at each piece.
  private final class SlowReceiver: Sendable {
    private struct State {
      var transfer: (any Transfer)?
      var count = 0
      var largest = 0
      var hasOthers = false
    }

    let recorder = TransferRecorder()
    private let state = Lock(State())
    private let queue = DispatchQueue(label: "SlowReceiver")

    var count: Int { state.withLock { $0.count } }
    var largest: Int { state.withLock { $0.largest } }
    var hasOthers: Bool { state.withLock { $0.hasOthers } }

    func start(_ request: TransportRequest, on transport: CurlTransport) async -> TransferRecorder.Events {
      let token = transport.start(request, handler: receive)
      state.withLock { $0.transfer = token as? any Transfer }
      defer { state.withLock { $0.transfer = nil } }
      return await recorder.waitForEnd()
    }

    @Sendable private func receive(_ event: TransferEvent) {
      guard case .body(let piece) = event else { return recorder.record(event) }
      // A search byte by byte would take most of the suite's time.
      let hasOthers = piece != Data(count: piece.count)
      let transfer = state.withLock { state in
        state.count += piece.count
        state.largest = max(state.largest, piece.count)
        if hasOthers { state.hasOthers = true }
        return state.transfer
      }
      transfer?.pause()
      queue.async { transfer?.resume() }
    }
  }

  /// 128 MiB of zeros.
  private static let brotli = """
    y///PwAkAOKxQHLv//j//weABEAcFoDu/R////8AkACIwwLQvf/j//8fABIAcVgAuvd//P//A0ACIA4LQPf+j///fwBIAMRhAeje//H//w8ACYA4LADd+z/+\
    //8BIAEQhwWge//H//8/ACQA4rAAdO//+P//B4AEQBwWgO79H////wCQAIjDAtC9/+P//x8AEgBxWAC693/8//8DQAIgDgtA9/6P//9/AEgAxGEB6N7/8f//\
    DwAJgDgsAN37v/z//wMgARCHBaB7/wc=
    """

  private static let bodies: [(coding: String, compressed: Data, count: Int)] =
    CompressedZeros.allCases.map { coding in
      let (compressed, count) = coding.make(atLeast: 96 << 20)
      return (coding.rawValue, compressed, count)
    } + [("br", Data(base64Encoded: brotli) ?? Data(), 128 << 20)]

  private static func server(tls: LoopbackServer.TLS? = nil) throws -> LoopbackServer {
    var options = LoopbackServer.Options()
    options.http2 = .init()
    return try LoopbackServer(tls: tls, options: options) { request in
      guard let body = bodies.first(where: { "/" + $0.coding == request.path }) else { return .text("none") }
      return .bytes(body.compressed).header("Content-Encoding", body.coding)
    }
  }

  private func receive(_ url: String, _ count: Int, with transport: CurlTransport) async {
    let receiver = SlowReceiver()
    let events = await receiver.start(.init(url: url), on: transport)
    #expect(events.error == nil)
    #expect(receiver.count == count)
    #expect(receiver.largest <= 256 << 10)
    #expect(!receiver.hasOthers)
  }

  @Test(
    "a large decompressed body arrives complete in small pieces, however slow the receiver is",
    arguments: bodies.map(\.coding))
  func whole(coding: String) async throws {
    let body = try #require(Self.bodies.first { $0.coding == coding })
    let server = try Self.server()
    let transport = try CurlTransport()
    await receive("\(server.origin)/\(coding)", body.count, with: transport)
    // The connection still works.
    #expect(await transport.exchange(.init(url: server.origin)).body == Data("none".utf8))
    #expect(server.log.requests.map(\.connection) == [1, 1])
  }

  @Test("over HTTP/2, a large decompressed body arrives complete too")
  func streams() async throws {
    let server = try Self.server(tls: .generated)
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .data(server.authority)
    let transport = try CurlTransport(configuration: configuration)
    for body in Self.bodies { await receive("\(server.origin)/\(body.coding)", body.count, with: transport) }
  }

  @Test("a large decompressed body ends at the limit, also when paused", arguments: bodies.map(\.coding))
  func limit(coding: String) async throws {
    let server = try Self.server()
    let transport = try CurlTransport()
    let receiver = SlowReceiver()
    let request = TransportRequest(url: "\(server.origin)/\(coding)", responseBodyLimit: 80 << 20)
    let events = await receiver.start(request, on: transport)
    #expect(events.error == .responseTooLarge(limit: 80 << 20))
    #expect((79 << 20...80 << 20).contains(receiver.count))
  }

  @Test("a cancellation in the middle of a large body takes effect")
  func cancel() async throws {
    let server = try Self.server()
    let transport = try CurlTransport()
    let recorder = TransferRecorder()
    let token = Lock<(any Cancellable)?>(nil)
    let isStarted = DispatchSemaphore(value: 0)
    let started = transport.start(.init(url: "\(server.origin)/zstd")) { event in
      recorder.record(event)
      // Cancelled from within the delivery, because the whole body may arrive before another thread cancels.
      guard case .body = event else { return }
      isStarted.wait()
      isStarted.signal()
      token.withLock { $0 }?.cancel()
    }
    token.withLock { $0 = started }
    isStarted.signal()
    let events = await recorder.waitForEnd()
    #expect(events.error == .cancelled)
    #expect(events.body.count < 96 << 20)
  }

  @Test("a declined redirect's body is delivered decompressed, and only up to the limit")
  func declinedRedirect() async throws {
    let (small, count) = CompressedZeros.gzip.make(atLeast: 1_000_000)
    let large = CompressedZeros.gzip.make(atLeast: 2 << 20).compressed
    let server = try LoopbackServer { request in
      .bytes(request.path == "/small" ? small : large, status: 302)
        .header("Content-Encoding", "gzip").header("Location", "/next")
    }
    var configuration = CurlConfiguration()
    configuration.redirects = .modify { _, _ in nil }
    let transport = try CurlTransport(configuration: configuration)
    let events = await transport.exchange(.init(url: "\(server.origin)/small"))
    #expect(events.error == nil)
    #expect(events.status == 302)
    #expect(events.body == Data(count: count))
    guard case .badServerResponse? = await transport.exchange(.init(url: server.origin)).error else {
      Issue.record("no error")
      return
    }
  }
}
