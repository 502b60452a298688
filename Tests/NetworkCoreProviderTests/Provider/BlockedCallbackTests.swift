import Dispatch
import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Callbacks that block", .timeLimit(.minutes(5)))
struct BlockedCallbackTests {
  private let server: LoopbackServer
  private let gate = DispatchSemaphore(value: 0)

  init() throws {
    server = try LoopbackServer { ["/never", "/cancelled"].contains($0.path) ? .never : .text($0.path) }
  }

  /// Starts a request whose completion blocks until `gate` is signalled; returns when it blocks.
  private func block(_ provider: NetworkProvider<LoopbackTarget>) async -> CompletionStream {
    let ending = CompletionStream()
    let gate = gate
    await withCheckedContinuation { isBlocked in
      provider.request(LoopbackTarget(server, "/blocked")) { result in
        isBlocked.resume()
        gate.wait()
        ending.completion(result)
      }
    }
    return ending
  }

  @Test(
    "do not delay other requests, time-outs or cancellations, of their provider or of others",
    arguments: TransportKind.allCases)
  func others(kind: TransportKind) async throws {
    let transport = try kind.make()
    let provider = NetworkProvider<LoopbackTarget>(transport: transport)
    let blocked = await block(provider)
    for provider in [provider, NetworkProvider<LoopbackTarget>(transport: transport)] {
      #expect(await provider.result(LoopbackTarget(server, "/other")).summary == "200")
    }
    let timedOut = await transport.exchange(.init(url: "\(server.origin)/never", idleTimeout: .seconds(1)))
    guard case .timedOut? = timedOut.error else {
      Issue.record("\(timedOut)")
      return
    }
    let ending = CompletionStream()
    let token = provider.request(LoopbackTarget(server, "/cancelled"), completion: ending.completion)
    try await server.log(until: { $0.requests.contains { $0.path == "/cancelled" } })
    token.cancel()
    #expect(await ending.next().summary == "cancelled")
    // On a busy machine, the other request may time out before it is sent.
    try await server.log(until: { $0.abandoned.contains { $0.request.path == "/cancelled" } })
    gate.signal()
    #expect(await blocked.next().summary == "200")
  }

  @Test("delay none of many requests that end together", arguments: TransportKind.allCases)
  func together(kind: TransportKind) async throws {
    let held = LoopbackServer.Gate()
    server.route("/held") { _ in .text("ok").held(until: held) }
    let provider = NetworkProvider<LoopbackTarget>(transport: try kind.make())
    let count = kind == .curl ? 100 : 6
    let outcome = CompletionRecorder()
    let (ends, ended) = AsyncStream.makeStream(of: Void.self)
    let gate = gate
    for number in 0..<count {
      provider.request(LoopbackTarget(server, "/held")) { result in
        if number % 10 == 0 { gate.wait() }
        outcome.completion(result)
        ended.yield()
      }
    }
    try await server.log(until: { $0.pending == count })
    held.open()
    let blocked = (count + 9) / 10
    var iterator = ends.makeAsyncIterator()
    for _ in blocked..<count { await iterator.next() }
    #expect(outcome.count == count - blocked)
    for _ in 0..<blocked { gate.signal() }
    for _ in 0..<blocked { await iterator.next() }
    #expect(outcome.summaries == Array(repeating: "200", count: count))
  }

  @Test("pause their sender after little memory has been buffered")
  func flowControl() async throws {
    server.route("/large") { _ in .repeating(7, count: 256 << 20) }
    let transport = try CurlTransport()
    let recorder = TransferRecorder(keeping: transport)
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let gate = gate
    let sizes = Lock((count: 0, largest: 0))
    let token = transport.start(.init(url: "\(server.origin)/large")) { event in
      guard case .body(let piece) = event else { return recorder.record(event) }
      let isFirst = sizes.withLock { sizes in
        defer { sizes = (sizes.count + piece.count, max(sizes.largest, piece.count)) }
        return sizes.count == 0
      }
      guard isFirst else { return }
      begin.yield()
      gate.wait()
    }
    for await _ in begun { break }
    // Long enough for a sender that is not paused to finish.
    for _ in 0..<300 { #expect(await transport.exchange(.init(url: server.origin)).error == nil) }
    #expect(server.log.bytesSent < 64 << 20)
    gate.signal()
    #expect(await recorder.waitForEnd().error == nil)
    #expect(sizes.withLock { $0.count } == 256 << 20)
    #expect(sizes.withLock { $0.largest } <= 256 << 10)
    withExtendedLifetime(token) {}
  }

  @Test(
    "the events of each of many transfers arrive in order, one at a time",
    arguments: TransportKind.allCases)
  func order(kind: TransportKind) async throws {
    let body = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
    server.route("/body") { _ in .bytes(body).chunked(size: 7_777) }
    let transport = try kind.make()
    let overlaps = Lock(0)
    let recorders = (0..<100).map { _ in TransferRecorder(keeping: transport) }
    for recorder in recorders {
      let isBusy = Lock(false)
      _ = transport.start(.init(url: "\(server.origin)/body")) { event in
        let wasBusy = isBusy.withLock { state in
          defer { state = true }
          return state
        }
        if wasBusy || recorder.events.head == nil && !event.isHead { overlaps.withLock { $0 += 1 } }
        recorder.record(event)
        isBusy.withLock { $0 = false }
      }
    }
    for recorder in recorders {
      let events = await recorder.waitForEnd()
      #expect(events.error == nil)
      let isWhole = events.body == body
      #expect(isWhole)
    }
    #expect(overlaps.withLock { $0 } == 0)
  }

  @Test(
    "a request that is cancelled while its callback blocks ends after that callback, with no event in between"
  )
  func cancel() async throws {
    let provider = NetworkProvider<LoopbackTarget>(transport: try CurlTransport())
    let outcome = CompletionRecorder()
    let gate = gate
    server.route("/large") { _ in .repeating(7, count: 1 << 20) }
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let log = Log()
    let ending = CompletionStream()
    let started = provider.request(LoopbackTarget(server, "/large")) { progress in
      log("progress")
      begin.yield()
      gate.wait()
    } completion: { result in
      outcome.completion(result)
      ending.completion(result)
    }
    for await _ in begun { break }
    started.cancel()
    try await server.log(until: { $0.openConnections == 0 })
    #expect(outcome.count == 0)
    gate.signal()
    #expect(await ending.next().summary == "cancelled")
    #expect(log.all == ["progress"])
  }
}

extension TransferEvent {
  fileprivate var isHead: Bool { if case .head = self { true } else { false } }
}
