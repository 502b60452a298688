import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

/// The events of transfers by name, in order.
private struct TransferEventLog {
  let log = Log()

  @discardableResult
  func start(
    _ name: String, over transport: any Transport,
    _ request: TransportRequest = TransportRequest(url: "http://host/")
  ) -> any Cancellable {
    let log = log
    return transport.start(request) { event in
      switch event {
      case .head(let head): log("\(name) \(head.statusCode)")
      case .finished(let error): log("\(name) end\(error.map { " \($0)" } ?? "")")
      case .sent, .body, .metrics: log("\(name) other")
      }
    }
  }
}

@Suite("A transport with a concurrency limit", .timeLimit(.minutes(5)))
struct ConcurrencyLimitedTransportTests {
  private let time = ManualDelayScheduler()
  private let events = TransferEventLog()
  private let wire = ScriptedTransport(defaultHeaders: ["Name": "value"])

  private func limit(_ maxRunning: Int, maxWaiting: Int = 10) -> ConcurrencyLimit {
    ConcurrencyLimit(maxRunning, maxWaiting: maxWaiting, scheduler: time)
  }

  @Test("a request waits for a place, and releases it before its end is reported")
  func order() {
    let limit = limit(1)
    let log = events.log
    let wire = ScriptedTransport(defaultHeaders: ["Name": "value"]) { _ in log("starts") }
    let transport = wire.limitConcurrency(limit)
    #expect(transport.defaultHeaders == ["Name": "value"])
    events.start("a", over: transport)
    events.start("b", over: transport)
    #expect(wire.transfers.count == 1)
    #expect(limit.waitingCount == 1)
    wire.transfers[0].respond()
    time.advance(by: .zero)
    wire.transfers[1].send(.finished(.timedOut(after: .seconds(1))))
    let error = TransferError.timedOut(after: .seconds(1))
    #expect(log.all == ["starts", "a 200", "a end", "starts", "b end \(error)"])
    #expect(limit.runningCount == 0)
    let token = transport.start(TransportRequest(url: "http://host/")) { event in
      if case .finished = event { log("\(limit.runningCount) running") }
    }
    wire.transfers[2].respond()
    #expect(log.all.last == "0 running")
    withExtendedLifetime(token) {}
  }

  @Test("a long body is no sign of overload for a limit that adapts", arguments: [(500, 4), (1500, 2)])
  func latency(milliseconds: Int, places: Int) {
    let limit = ConcurrencyLimit(
      4, adapting: .aimd(slowest: .seconds(1), within: 1...4, decrease: 0.5), scheduler: time)
    events.start("a", over: wire.limitConcurrency(limit))
    time.advance(by: .milliseconds(milliseconds))
    let head = ResponseHead(statusCode: 200, url: "http://host/", headers: [:])
    wire.transfers[0].send(.head(head))
    time.advance(by: .seconds(20))
    wire.transfers[0].send(.finished(nil))
    #expect(limit.maxRunning == places)
  }

  @Test(
    "a transfer that is cancelled after its head adapts a limit",
    arguments: [(200, 1, 2), (503, 4, 2), (nil, 1, 1), (nil, 4, 4)] as [(Int?, Int, Int)])
  func cancelledTransfer(status: Int?, before: Int, after: Int) {
    let limit = ConcurrencyLimit(
      before, adapting: .aimd(slowest: .seconds(1), within: 1...8, decrease: 0.5), scheduler: time)
    events.start("a", over: wire.limitConcurrency(limit))
    if let status {
      wire.transfers[0].send(.head(ResponseHead(statusCode: status, url: "http://host/", headers: [:])))
    }
    wire.transfers[0].send(.finished(.cancelled))
    #expect(limit.maxRunning == after)
  }

  @Test("a connection that is lost after the head of its response is a sign of overload for a limit")
  func lostAfterHead() {
    let limit = ConcurrencyLimit(
      4, adapting: .aimd(slowest: .seconds(1), within: 1...8, decrease: 0.5), scheduler: time)
    events.start("a", over: wire.limitConcurrency(limit))
    let head = ResponseHead(statusCode: 200, url: "http://host/", headers: [:])
    wire.transfers[0].send(.head(head), .finished(.connectionLost(reason: "reset")))
    #expect(limit.maxRunning == 2)
  }

  @Test("a body that is cut off does not hide an overloaded server's status from a limit")
  func cutOffRefusal() {
    let limit = ConcurrencyLimit(
      4, adapting: .aimd(slowest: .seconds(1), within: 1...8, decrease: 0.5), scheduler: time)
    events.start("a", over: wire.limitConcurrency(limit))
    let head = ResponseHead(statusCode: 503, url: "http://host/", headers: [:])
    wire.transfers[0].send(.head(head), .finished(.truncatedBody(reason: "cut off")))
    #expect(limit.maxRunning == 2)
  }

  @Test("half a minute is the longest wait of a request by default")
  func usualWait() {
    let transport = wire.limitConcurrency(limit(1))
    events.start("a", over: transport)
    events.start("b", over: transport)
    time.advance(by: .seconds(29))
    #expect(events.log.all.isEmpty)
    time.advance(by: .seconds(1))
    #expect(events.log.all == ["b end \(TransferError.waitedTooLong(.seconds(30)))"])
    wire.finish()
  }

  @Test("waiting requests start by priority")
  func priority() {
    let transport = wire.limitConcurrency(limit(1)) { $0.method == .post ? 1 : 0 }
    events.start("a", over: transport)
    events.start("b", over: transport)
    events.start("c", over: transport, TransportRequest(method: .post, url: "http://host/"))
    wire.transfers[0].respond()
    time.advance(by: .zero)
    #expect(wire.transfers.last?.request.method == .post)
    wire.finish()
  }

  @Test("a refused request ends with the reason and is not sent")
  func refusal() {
    let limit = limit(1, maxWaiting: 1)
    let transport = wire.limitConcurrency(limit, longestWait: .seconds(3))
    events.start("a", over: transport)
    events.start("b", over: transport)
    events.start("c", over: transport)
    #expect(events.log.all.isEmpty)
    time.advance(by: .zero)
    #expect(events.log.all == ["c end \(TransferError.queueFull(maxWaiting: 1))"])
    time.advance(by: .seconds(3))
    #expect(events.log.all.last == "b end \(TransferError.waitedTooLong(.seconds(3)))")
    #expect(wire.transfers.count == 1)
    #expect(limit.waitingCount == 0)
    wire.transfers[0].respond()
    #expect(limit.runningCount == 0)
    #expect(time.pendingCount == 0)
  }

  @Test("a cancelled request leaves the queue or the wire, and ends once")
  func cancel() {
    let limit = limit(1)
    let transport = wire.limitConcurrency(limit, longestWait: .seconds(9))
    let running = events.start("a", over: transport)
    let waiting = events.start("b", over: transport)
    waiting.cancel()
    waiting.cancel()
    #expect(limit.waitingCount == 0)
    running.cancel()
    #expect(wire.transfers.map(\.cancelCount) == [1])
    wire.transfers[0].send(.finished(.cancelled))
    time.advance(by: .seconds(100))
    #expect(events.log.all.sorted() == ["a end cancelled", "b end cancelled"])
    #expect(limit.runningCount == 0)
    #expect(time.pendingCount == 0)
  }

  @Test("a transfer that is dropped without an end releases its place")
  func dropped() {
    let limit = limit(1)
    events.start("a", over: wire.limitConcurrency(limit))
    wire.transfers[0].releaseHandler()
    #expect(limit.runningCount == 0)
  }

  @Test("a request that waits can be paused before it is sent")
  func pause() throws {
    let limit = limit(1)
    let log = Log()
    let counted = PausingTransport(log: log)
    let transport = counted.limitConcurrency(limit)
    let place = Lock<ConcurrencyLimit.Permit?>(nil)
    _ = limit.acquire { result in place.withLock { $0 = try? result.get() } }
    let waiting = try #require(events.start("b", over: transport) as? any Transfer)
    waiting.pause()
    place.withLock { $0.take() }?.release()
    time.advance(by: .zero)
    waiting.resume()
    #expect(log.all == ["pause", "resume"])
  }

  @Test("refusals reach the caller of a provider with their reason, are not retried and count for no breaker")
  func provider() {
    let limit = limit(1, maxWaiting: 0)
    let breaker = CircuitBreaker(
      opensAt: .consecutiveFailures(1), scheduler: time, isFailure: { _ in true })
    let transport = wire.limitConcurrency(limit).circuitBreaker(breaker)
    let outcome = CompletionRecorder()
    let provider = NetworkProvider<GitHub>(
      transport: transport, interceptors: [RetryPolicy(retryLimit: 3)], scheduler: time)
    for _ in 0..<2 { provider.request(.zen, completion: outcome.completion) }
    time.advance(by: .seconds(60))
    let error = TransferError.queueFull(maxWaiting: 0)
    #expect(outcome.error?.transferError == error)
    #expect(outcome.error?.localizedDescription.contains("raise maxWaiting") == true)
    #expect(outcome.count == 1)
    #expect(breaker.state == .closed)
    wire.finish()
  }
}

@Suite("A transport with a circuit breaker", .timeLimit(.minutes(5)))
struct CircuitBreakingTransportTests {
  private let time = ManualDelayScheduler()
  private let events = TransferEventLog()
  private let wire = ScriptedTransport(defaultHeaders: ["Name": "value"])

  private func breaker(after failures: Int = 1) -> CircuitBreaker {
    CircuitBreaker(opensAt: .consecutiveFailures(failures), probeWait: .seconds(5), scheduler: time)
  }

  @Test(
    "responses and errors count",
    arguments: [
      ("200", false), ("404", false), ("429", false), ("503", true), ("timeout", true), ("cancelled", false),
      ("503 cancelled", true), ("other", false),
    ])
  func endings(ending: String, opens: Bool) {
    let breaker = breaker()
    let transport = wire.circuitBreaker(breaker)
    #expect(transport.defaultHeaders == ["Name": "value"])
    events.start("a", over: transport)
    let transfer = wire.transfers[0]
    if let status = Int(ending.prefix(3)) {
      transfer.send(.head(ResponseHead(statusCode: status, url: "http://host/", headers: [:])))
    }
    switch ending {
    case "timeout": transfer.send(.finished(.timedOut(after: .seconds(1))))
    case "other": transfer.send(.finished(.responseTooLarge(limit: 1)))
    case "cancelled", "503 cancelled": transfer.send(.finished(.cancelled))
    default: transfer.send(.finished(nil))
    }
    #expect(breaker.state == (opens ? .open : .closed))
    #expect(events.log.all.last?.hasPrefix("a end") == true)
  }

  @Test(
    "an error after the head does not hide the status",
    arguments: [
      (503, .responseTooLarge(limit: 1), true), (200, .responseTooLarge(limit: 1), false),
      (503, .connectionLost(reason: ""), true), (200, .connectionLost(reason: ""), true),
      (429, .connectionLost(reason: ""), false),
    ] as [(Int, TransferError, Bool)])
  func errorAfterHead(status: Int, error: TransferError, opens: Bool) {
    let breaker = breaker()
    events.start("a", over: wire.circuitBreaker(breaker))
    let head = ResponseHead(statusCode: status, url: "http://host/", headers: [:])
    wire.transfers[0].send(.head(head), .finished(error))
    #expect(breaker.state == (opens ? .open : .closed))
  }

  @Test("a request that is cancelled after the head of a success has succeeded")
  func leftStream() {
    let breaker = breaker(after: 2)
    let transport = wire.circuitBreaker(breaker)
    for index in 0..<3 {
      events.start("\(index)", over: transport)
      let status = index == 1 ? 200 : 503
      let head = ResponseHead(statusCode: status, url: "http://host/", headers: [:])
      wire.transfers[index].send(.head(head), .finished(index == 1 ? .cancelled : nil))
    }
    // The two failures are not in a row.
    #expect(breaker.state == .closed)
  }

  @Test("the end of a transfer is counted before it is reported")
  func order() {
    let (breaker, log) = (breaker(), Log())
    let token = wire.circuitBreaker(breaker).start(TransportRequest(url: "http://host/")) { event in
      if case .finished = event { log("\(breaker.state)") }
    }
    wire.transfers[0].respond(503)
    #expect(log.all == ["open"])
    withExtendedLifetime(token) {}
  }

  @Test("the head of a probe is counted before it is reported", arguments: [200, 503])
  func probeOrder(status: Int) {
    let (breaker, log) = (breaker(), Log())
    let transport = wire.circuitBreaker(breaker)
    events.start("a", over: transport)
    wire.transfers[0].respond(503)
    time.advance(by: .seconds(5))
    let probe = transport.start(TransportRequest(url: "http://host/")) { event in
      if case .head = event { log("\(breaker.state)") }
    }
    wire.transfers[1].respond(status)
    #expect(log.all == [status == 200 ? "closed" : "open"])
    withExtendedLifetime(probe) {}
  }

  @Test("a refused request is not sent, and its error has the time until the next probe; it can be cancelled")
  func refusal() {
    let breaker = breaker()
    let transport = wire.circuitBreaker(breaker)
    events.start("a", over: transport)
    wire.transfers[0].respond(503)
    time.advance(by: .seconds(2))
    events.start("b", over: transport)
    events.start("c", over: transport).cancel()
    #expect(events.log.all == ["a 503", "a end"])
    time.advance(by: .zero)
    let error = TransferError.circuitOpen(timeUntilProbe: .seconds(3))
    #expect(events.log.all.suffix(2) == ["b end \(error)", "c end cancelled"])
    #expect(error.localizedDescription.contains("Try again in 3.0 s"))
    #expect(error.urlErrorCode == nil)
    #expect(wire.transfers.count == 1)
    time.advance(by: .seconds(3))
    events.start("d", over: transport)
    wire.transfers[1].respond()
    #expect(breaker.state == .closed)
  }

  @Test("a probe that is cancelled or dropped makes room for another one", arguments: [false, true])
  func probes(isDropped: Bool) {
    let breaker = breaker()
    let transport = wire.circuitBreaker(breaker)
    events.start("a", over: transport)
    wire.transfers[0].respond(503)
    time.advance(by: .seconds(5))
    events.start("b", over: transport)
    #expect(breaker.state == .halfOpen)
    if isDropped { wire.transfers[1].releaseHandler() } else { wire.transfers[1].send(.finished(.cancelled)) }
    #expect(breaker.state == .halfOpen)
    events.start("c", over: transport)
    #expect(wire.transfers.count == 3)
    wire.transfers[2].respond()
    #expect(breaker.state == .closed)
  }

  @Test("of a probe, the head counts and not the end, which may never come", arguments: [200, 503])
  func longProbe(status: Int) {
    let breaker = breaker()
    let transport = wire.circuitBreaker(breaker)
    events.start("a", over: transport)
    wire.transfers[0].respond(503)
    time.advance(by: .seconds(5))
    let stream = transport.start(TransportRequest(url: "http://host/")) { _ in }
    wire.transfers[1].send(.head(ResponseHead(statusCode: status, url: "http://host/", headers: [:])))
    let state = CircuitBreaker.State.self
    #expect(breaker.state == (status == 200 ? state.closed : state.open))
    wire.transfers[1].send(.finished(.connectionLost(reason: "")))
    #expect(breaker.state == (status == 200 ? state.closed : state.open))
    withExtendedLifetime(stream) {}
  }

  @Test("the time of a request ends with its head, and not with its body", arguments: [2, 4])
  func slowHead(seconds: Int) {
    let breaker = CircuitBreaker(
      opensAt: .consecutiveFailures(1), slowCallDuration: .seconds(3), scheduler: time)
    events.start("a", over: wire.circuitBreaker(breaker))
    time.advance(by: .seconds(seconds))
    wire.transfers[0].send(.head(ResponseHead(statusCode: 200, url: "http://host/", headers: [:])))
    time.advance(by: .seconds(3_600))
    wire.transfers[0].send(.finished(nil))
    #expect(breaker.state == (seconds > 3 ? .open : .closed))
  }

  @Test("a cache around policies does not store responses to credentials of the inner transport")
  func cache() async throws {
    let server = try LoopbackServer { _ in .text("mine").header("Cache-Control", "max-age=60") }
    var configuration = CurlConfiguration()
    configuration.credentials[server.origin] = .bearer(token: "t")
    let curl = try CurlTransport(configuration: configuration)
    let policy = HedgePolicy(after: .fixed(.seconds(60)), budget: RetryBudget())
    let layers: [any Transport] = [
      curl.circuitBreaker(CircuitBreaker()), curl.limitConcurrency(ConcurrencyLimit(1)),
      curl.hedged(policy), ChaosTransport(curl, plan: ChaosPlan(seed: 1)),
    ]
    for layer in layers {
      let transport = CachingTransport(layer, cache: try HTTPCache())
      var request = TransportRequest(url: server.origin)
      #expect(await transport.exchange(request).body == Data("mine".utf8))
      request.cachePolicy = .storedOnly
      #expect(await transport.exchange(request).error == .notStored(url: server.origin))
    }
  }
}

/// A transport that records pauses.
private struct PausingTransport: Transport {
  final class Token: Transfer {
    let log: Log
    /// Kept, because a released handler ends the transfer.
    let handler: @Sendable (TransferEvent) -> Void
    var isCancelled: Bool { false }
    init(_ log: Log, _ handler: @escaping @Sendable (TransferEvent) -> Void) {
      (self.log, self.handler) = (log, handler)
    }
    func cancel() {}
    func pause() { log("pause") }
    func resume() { log("resume") }
  }

  let log: Log

  func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable { Token(log, handler) }
}
