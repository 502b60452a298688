import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Hedged transfers", .timeLimit(.minutes(5)))
struct HedgingTests {
  private let time = ManualDelayScheduler()

  private func policy(
    _ delay: HedgePolicy.Delay = .fixed(.seconds(2)), ratio: Double = 1, _ methods: Set<HTTPMethod> = [.get]
  ) -> HedgePolicy {
    let budget = RetryBudget(ratio: ratio, minimumPerSecond: 0, window: .seconds(3_600), scheduler: time)
    return HedgePolicy(after: delay, budget: budget, hedgeableHTTPMethods: methods, scheduler: time)
  }

  /// The events of one hedged request with their times.
  private func send(
    _ policy: HedgePolicy, _ answers: [ScheduledTransport.PlannedResponse],
    _ request: TransportRequest = TransportRequest(url: "http://host/"), cancelledAfter: TimeInterval? = nil
  ) -> (events: [String], wire: [String]) {
    let transport = ScheduledTransport(time) { answers[$0] }
    let (log, time) = (Log(), time)
    let token = transport.hedged(policy).start(request) { event in
      let seconds = time.now.timeIntervalSince1970
      switch event {
      case .head(let head): log("\(seconds) \(head.statusCode)")
      case .body(let piece): log("\(seconds) body \(String(decoding: piece, as: UTF8.self))")
      case .finished(let error): log("\(seconds) end\(error.map { " \($0)" } ?? "")")
      case .sent, .metrics: log("\(seconds) other")
      }
    }
    if let cancelledAfter {
      time.advance(by: .seconds(cancelledAfter))
      token.cancel()
    }
    time.advance(by: .seconds(1_000))
    #expect(time.pendingCount == 0)
    return (log.all, transport.log)
  }

  @Test("delays and percentiles outside their ranges are bounded, and so is NaN")
  func unusualDelays() {
    #expect(policy(.fixed(.seconds(-1))).currentDelay == .zero)
    #expect(policy(.percentile(50, initially: .seconds(-1))).currentDelay == .zero)
    func measured(_ percent: Double, within window: Duration = .seconds(300)) -> TimeInterval {
      let policy = policy(.percentile(percent, initially: .seconds(7), within: window))
      for seconds in 1...20 { policy.record(since: time.uptime.inSeconds - TimeInterval(seconds)) }
      time.advance(by: .seconds(1))
      return policy.currentDelay.inSeconds
    }
    #expect(([.nan, .infinity, 101] as [Double]).map { measured($0) } == [20, 20, 20])
    #expect(([-1, -.infinity] as [Double]).map { measured($0) } == [1, 1])
    #expect(measured(50, within: .seconds(-1)) == 7)
    #expect(measured(50, within: .seconds(Int64.max / 4)) == 10)
  }

  @Test("a second copy overtakes a late first one, which is cancelled")
  func overtaken() {
    let (events, wire) = send(
      policy(), [.init(after: 9, ending: .status(200)), .init(after: 1, ending: .status(200))])
    #expect(events == ["3.0 200", "3.0 body 1", "3.0 end"])
    #expect(wire == ["0.0 0 starts", "2.0 1 starts", "3.0 0 cancelled"])
  }

  @Test(
    "only the second copy asks for a new connection, and only if the policy does", arguments: [true, false])
  func newConnection(isAsked: Bool) {
    let wire = ScriptedTransport()
    let budget = RetryBudget(ratio: 1, scheduler: time)
    let policy = HedgePolicy(
      after: .fixed(.seconds(2)), budget: budget, usesNewConnection: isAsked, scheduler: time)
    _ = wire.hedged(policy).start(TransportRequest(url: "http://host/")) { _ in }
    time.advance(by: .seconds(2))
    #expect(wire.transfers.map(\.request.needsNewConnection) == [false, isAsked])
    wire.finish()
  }

  @Test("the loser is cancelled when the winner's head arrives, before its body has")
  func head() {
    let (wire, log) = (ScriptedTransport(), Log())
    _ = wire.hedged(policy()).start(TransportRequest(url: "http://host/")) { event in
      switch event {
      case .head(let head): log("\(head.statusCode)")
      case .body(let piece): log(String(decoding: piece, as: UTF8.self))
      case .finished(let error): log("end\(error.map { " \($0)" } ?? "")")
      case .sent, .metrics: log("other")
      }
    }
    time.advance(by: .seconds(2))
    wire.transfers[1].send(.head(ResponseHead(statusCode: 200, url: "http://host/", headers: [:])))
    #expect(wire.transfers.map(\.cancelCount) == [1, 0])
    wire.transfers[0].send(.body(Data("loser".utf8)), .finished(.cancelled))
    wire.transfers[1].send(.body(Data("winner".utf8)), .finished(nil))
    #expect(log.all == ["200", "winner", "end"])
    #expect(wire.transfers.map(\.cancelCount) == [1, 0])
  }

  @Test("without a response, the metrics are those of the copy with whose error the request ends")
  func metricsOfFailure() {
    let (wire, log) = (ScriptedTransport(), Log())
    _ = wire.hedged(policy()).start(TransportRequest(url: "http://host/")) { event in
      switch event {
      case .metrics(let metrics): log("\(metrics.redirects) redirects")
      case .finished: log("end")
      case .sent, .head, .body: log("other")
      }
    }
    time.advance(by: .seconds(2))
    for (number, transfer) in wire.transfers.enumerated() {
      var metrics = TransferMetrics()
      metrics.redirects = number
      transfer.send(.metrics(metrics), .finished(.connectionLost(reason: "")))
    }
    #expect(log.all == ["1 redirects", "end"])
  }

  @Test("a second copy is cancelled if the first responds while the second is being started")
  func respondsDuringStart() {
    let first = Lock(nil as ScriptedTransport.Transfer?)
    let wire = ScriptedTransport { transfer in
      let earlier = first.withLock { first in
        defer { first = first ?? transfer }
        return first
      }
      earlier?.send(.head(ResponseHead(statusCode: 200, url: "http://host/", headers: [:])))
    }
    _ = wire.hedged(policy()).start(TransportRequest(url: "http://host/")) { _ in }
    time.advance(by: .seconds(2))
    #expect(wire.transfers.map(\.cancelCount) == [0, 1])
    wire.finish()
  }

  @Test("a request that ends within its start leaves no timer")
  func endsDuringStart() {
    let wire = ScriptedTransport { $0.respond() }
    _ = wire.hedged(policy()).start(TransportRequest(url: "http://host/")) { _ in }
    #expect(wire.transfers.count == 1)
    #expect(time.pendingCount == 0)
  }

  @Test("a request that is cancelled before its second copy is sent leaves no timer")
  func timerOfCancelled() {
    let wire = ScriptedTransport()
    let token = wire.hedged(policy()).start(TransportRequest(url: "http://host/")) { _ in }
    #expect(time.pendingCount == 1)
    token.cancel()
    #expect(time.pendingCount == 0)
    wire.finish()
  }

  @Test("a request that is cancelled while its second copy is being started cancels both copies")
  func cancelledDuringStart() {
    let (starts, token, log) = (StartCounter(), TokenBox(), Log())
    let wire = ScriptedTransport { _ in if starts.next() == 2 { token.cancel() } }
    token.store(
      wire.hedged(policy()).start(TransportRequest(url: "http://host/")) { event in
        if case .finished(let error) = event { log(error == .cancelled ? "cancelled" : "end") }
      })
    time.advance(by: .seconds(2))
    #expect(wire.transfers.map(\.cancelCount) == [1, 1])
    for transfer in wire.transfers { transfer.send(.finished(.cancelled)) }
    #expect(log.all == ["cancelled"])
  }

  @Test("a second copy that has failed within its start is not cancelled when the first one responds")
  func failsDuringStart() {
    let (starts, log) = (StartCounter(), Log())
    let wire = ScriptedTransport { transfer in
      if starts.next() == 2 { transfer.send(.finished(.connectionLost(reason: "reset"))) }
    }
    let token = wire.hedged(policy()).start(TransportRequest(url: "http://host/")) { event in
      if case .finished(let error) = event { log(error == nil ? "end" : "failed") }
    }
    time.advance(by: .seconds(2))
    #expect(wire.transfers.count == 2)
    #expect(log.all.isEmpty)
    wire.transfers[0].respond()
    #expect(wire.transfers.map(\.cancelCount) == [0, 0])
    #expect(log.all == ["end"])
    withExtendedLifetime(token) {}
  }

  @Test(
    "a second copy that is being sent after a wait waits no longer, and replaces an error of the first one")
  func failsDuringStartAfterWait() throws {
    let first = Lock(nil as ScriptedTransport.Transfer?)
    let wire = ScriptedTransport { transfer in
      let earlier = first.withLock { first in
        defer { first = first ?? transfer }
        return first
      }
      earlier?.send(.finished(.connectionLost(reason: "reset")))
    }
    let limit = ConcurrencyLimit(2, scheduler: time)
    let place = Lock<ConcurrencyLimit.Permit?>(nil)
    _ = limit.acquire { result in place.withLock { $0 = try? result.get() } }
    let log = Log()
    let token = wire.limitConcurrency(limit).hedged(policy())
      .start(TransportRequest(url: "http://host/")) { event in
        switch event {
        case .head(let head): log("\(head.statusCode)")
        case .finished(let error): log(error == nil ? "end" : "failed")
        default: break
        }
      }
    time.advance(by: .seconds(2))
    #expect(limit.waitingCount == 1)
    place.withLock { $0.take() }?.release()
    time.advance(by: .zero)
    try #require(wire.transfers.count == 2)
    #expect(log.all.isEmpty)
    wire.transfers[1].respond()
    #expect(log.all == ["200", "end"])
    withExtendedLifetime(token) {}
  }

  @Test("the error of a hedged request proves nothing, because its other copy may have been sent")
  func proof() {
    let wire = ScriptedTransport()
    let errors = Lock([TransferError?]())
    _ = wire.hedged(policy()).start(TransportRequest(url: "http://host/")) { event in
      if case .finished(let error) = event { errors.withLock { $0.append(error) } }
    }
    time.advance(by: .seconds(2))
    wire.transfers[0].send(.finished(.connectionLost(reason: "reset")))
    wire.transfers[1].send(.finished(.cannotConnect(url: "http://host/", reason: "refused", isUnsent: true)))
    #expect(errors.withLock { $0 } == [.cannotConnect(url: "http://host/", reason: "refused")])
  }

  @Test("the second copy of a paused request is paused, and resumed with it")
  func paused() throws {
    let wire = PausableTransport()
    let token = wire.hedged(policy()).start(TransportRequest(url: "http://host/")) { _ in }
    let transfer = try #require(token as? any Transfer)
    transfer.pause()
    time.advance(by: .seconds(2))
    #expect(wire.transfers.map(\.isPaused) == [true, true])
    transfer.resume()
    #expect(wire.transfers.map(\.isPaused) == [false, false])
    transfer.cancel()
  }

  @Test("a late first copy wins if it still responds first")
  func firstWins() {
    let (events, wire) = send(
      policy(), [.init(after: 3, ending: .status(404)), .init(after: 5, ending: .status(200))])
    #expect(events == ["3.0 404", "3.0 body 0", "3.0 end"])
    #expect(wire == ["0.0 0 starts", "2.0 1 starts", "3.0 1 cancelled"])
  }

  @Test("a first copy that ends in time is the only one", arguments: [200, 503])
  func inTime(status: Int) {
    let (events, wire) = send(policy(), [.init(after: 1, ending: .status(status))])
    #expect(events == ["1.0 \(status)", "1.0 body 0", "1.0 end"])
    #expect(wire == ["0.0 0 starts"])
  }

  @Test("a cancelled request cancels both copies and sends no further copy", arguments: [1.0, 3])
  func cancel(seconds: TimeInterval) {
    let never = ScheduledTransport.PlannedResponse(after: 0, ending: .never)
    let (events, wire) = send(policy(), [never, never], cancelledAfter: seconds)
    #expect(events == ["\(seconds) end cancelled"])
    #expect(wire.count == (seconds > 2 ? 4 : 2))
    #expect(wire.last?.hasSuffix("cancelled") == true)
  }

  @Test(
    "a cancelled request ends as cancelled, and delivers nothing else that its copy sends later",
    arguments: [false, true])
  func eventsAfterCancel(hasHead: Bool) {
    let (wire, log) = (ScriptedTransport(), Log())
    let token = wire.hedged(policy()).start(TransportRequest(url: "http://host/")) { event in
      switch event {
      case .head(let head): log("\(head.statusCode)")
      case .finished(let error): log(error == .cancelled ? "cancelled" : "end")
      case .body, .sent, .metrics: log("other")
      }
    }
    let head = TransferEvent.head(ResponseHead(statusCode: 200, url: "http://host/", headers: [:]))
    if hasHead { wire.transfers[0].send(head) }
    token.cancel()
    if !hasHead { wire.transfers[0].send(head) }
    wire.transfers[0].send(.body(Data("late".utf8)), .finished(.timedOut(after: .seconds(1))))
    #expect(log.all == (hasHead ? ["200", "cancelled"] : ["cancelled"]))
  }

  @Test("a budget without a minimum of its own sends its share of second copies, from the first request on")
  func share() {
    let wire = ScriptedTransport()
    let policy = HedgePolicy(
      after: .fixed(.zero), budget: RetryBudget(ratio: 0.1, scheduler: time), scheduler: time)
    let transport = wire.hedged(policy)
    for number in 1...600 {
      _ = transport.start(TransportRequest(url: "http://host/")) { _ in }
      time.advance(by: .milliseconds(100))
      let copies = wire.transfers.count - number
      // One copy is available at the start, and ten requests allow each further one.
      #expect(copies <= max(1, number / 10))
    }
    #expect(wire.transfers.count > 650)
    wire.finish()
  }

  @Test("requests that must not be sent twice are sent once")
  func methods() {
    let slow = ScheduledTransport.PlannedResponse(after: 5, ending: .status(200))
    let post = TransportRequest(method: .post, url: "http://host/")
    #expect(send(policy(), [slow, slow], post).wire == ["0.0 0 starts"])
    #expect(send(policy(ratio: 1, [.get, .post]), [slow, slow], post).wire.count == 3)
    var upload = TransportRequest(url: "http://host/", reportsProgress: true)
    #expect(send(policy(), [slow, slow], upload).wire.count == 1)
    upload.reportsProgress = false
    let once = BodyStream(isRepeatable: false) { _ in throw TransferError.cancelled }
    upload.body = .stream(once)
    #expect(send(policy(), [slow, slow], upload).wire.count == 1)
    upload.body = .data(Data([1]))
    #expect(send(policy(), [slow, slow], upload).wire.count == 3)
    upload.upgradesConnection = true
    #expect(send(policy(), [slow, slow], upload).wire.count == 1)
  }

  @Test("the idempotent methods are hedged by default")
  func defaults() {
    let methods = HedgePolicy(after: .fixed(.seconds(-1)), budget: RetryBudget())
    #expect(methods.hedgeableHTTPMethods == RetryPolicy.defaultRetryableHTTPMethods)
    #expect(!methods.hedgeableHTTPMethods.contains(.post))
    #expect(methods.currentDelay == .zero)
    #expect(!methods.usesNewConnection)
  }

  @Test("a response that seems to arrive before its request does not count for the percentile")
  func negativeLatency() {
    let policy = policy(.percentile(50, initially: .seconds(7)))
    for _ in 0..<20 { policy.record(since: time.uptime.inSeconds + 5) }
    #expect(policy.currentDelay == .seconds(7))
  }

  @Test("an empty budget allows no second copy, and each request deposits once")
  func budget() {
    let policy = policy(ratio: 0.5)
    let answers = [
      ScheduledTransport.PlannedResponse(after: 5, ending: .status(200)),
      .init(after: 5, ending: .status(200)),
    ]
    #expect(send(policy, answers).wire.count == 1)
    #expect(send(policy, answers).wire.count == 3)
    #expect(policy.budget.availableRetries == 0)
    #expect(send(policy, answers).wire.count == 1)
  }

  /// The result of two copies by the documented rules, computed from the times and endings alone.
  private func expectation(
    _ first: ScheduledTransport.PlannedResponse, _ second: ScheduledTransport.PlannedResponse,
    delay: TimeInterval
  ) -> (time: TimeInterval, ending: ScheduledTransport.Ending, copies: Int, cancelled: Int?) {
    guard first.after > delay else { return (first.after, first.ending, 1, nil) }
    let ends = [first.after, delay + second.after]
    let endings = [first.ending, second.ending]
    let good = [0, 1].filter { index in
      guard case .status(let status) = endings[index] else { return false }
      return ![408, 429, 500, 502, 503, 504].contains(status)
    }
    guard let winner = good.min(by: { ends[$0] < ends[$1] }) else {
      let last = ends[0] > ends[1] ? 0 : 1
      return (ends[last], endings[last], 2, nil)
    }
    // If both copies end at the same time, the first copy counts as earlier.
    let isOpen = winner == 0 ? ends[1] >= ends[0] : ends[0] > ends[1]
    return (ends[winner], endings[winner], 2, isOpen ? 1 - winner : nil)
  }

  @Test("any two copies end by the documented rules", arguments: 0..<300)
  func reference(seed: UInt64) {
    var numbers = SplitMix64(seed: seed)
    let endings: [ScheduledTransport.Ending] = [
      .status(200), .status(404), .status(503), .error(.timedOut(after: .seconds(1))),
    ]
    let answers = (0..<2).map { _ in
      ScheduledTransport.PlannedResponse(
        after: Double(Int.random(in: 0...16, using: &numbers)) / 4,
        ending: endings.randomElement(using: &numbers) ?? .never)
    }
    let expected = expectation(answers[0], answers[1], delay: 2)
    let (events, wire) = send(policy(), answers)
    #expect(wire.count { $0.hasSuffix("starts") } == expected.copies)
    #expect(
      wire.filter { $0.hasSuffix("cancelled") }
        == (expected.cancelled.map { ["\(expected.time) \($0) cancelled"] } ?? []))
    switch expected.ending {
    case .status(let status):
      #expect(events.first == "\(expected.time) \(status)")
      #expect(events.last == "\(expected.time) end")
      #expect(events.count == 3)
    case .error(let error): #expect(events == ["\(expected.time) end \(error)"])
    case .never: Issue.record("no ending is never")
    }
  }

  @Test("the second copy is a request of its own to observers, and names the first one", arguments: [0, 1])
  func observation(winner: Int) {
    let (wire, events) = (ScriptedTransport(), ObservedEvents())
    let provider = NetworkProvider<LoopbackTarget>(transport: wire.hedged(policy()), plugins: [events])
    provider.request(LoopbackTarget(URL(staticString: "http://host"))) { _ in }
    time.advance(by: .seconds(2))
    #expect(wire.transfers.count == 2)
    for transfer in wire.transfers { transfer.request.observer?.report(.connecting) }
    wire.transfers[winner].respond(204)
    wire.transfers[1 - winner].send(.finished(.cancelled))
    let ids = Set(events.all.map(\.id)).sorted()
    #expect(events.causes == [.call] + ids.prefix(1).map { .hedge(of: $0) })
    let targets: [LoopbackTarget] = events.all.compactMap { event in
      if case .queued(let call) = event.kind { call.target as? LoopbackTarget } else { nil }
    }
    #expect(targets.count == 2)
    let byRequest = ids.map { id in events.all.filter { $0.id == id }.compactMap(\.name) }
    #expect(
      byRequest == [
        ["queued", "started", "connecting", "firstByte", "ended 204"],
        ["queued", "started", "connecting"] + (winner == 1 ? ["firstByte", "ended 204"] : ["cancelled"]),
      ])
  }

  @Test("the second copy of a change reports to observers also below a cache", arguments: [0, 1])
  func observationBelowCache(winner: Int) throws {
    let (wire, events) = (ScriptedTransport(), ObservedEvents())
    let cached = CachingTransport(
      wire.hedged(policy(.fixed(.seconds(2)), ratio: 1, [.put])), cache: try HTTPCache())
    let provider = NetworkProvider<LoopbackTarget>(transport: cached, plugins: [events])
    provider.request(LoopbackTarget(URL(staticString: "http://host")).with { $0.method = .put }) { _ in }
    time.advance(by: .seconds(2))
    try #require(wire.transfers.count == 2)
    wire.transfers[winner].respond(204)
    wire.transfers[1 - winner].send(.finished(.cancelled))
    let ids = Set(events.all.map(\.id)).sorted()
    #expect(events.causes == [.call] + ids.prefix(1).map { .hedge(of: $0) })
    let ends = ids.map { id in events.all.last { $0.id == id }?.name }
    #expect(ends == ["ended 204", winner == 1 ? "ended 204" : "cancelled"])
  }

  /// The observer of a layer, which passes events on; it also passes on that of a second copy, or not.
  private final class Forwarding: TransferObserver {
    private let inner: any TransferObserver
    private let forwardsCopies: Bool

    init(_ inner: any TransferObserver, forwardsCopies: Bool) {
      self.inner = inner
      self.forwardsCopies = forwardsCopies
    }

    func note(_ event: TransportEvent, at time: ContinuousClock.Instant) -> Bool {
      inner.note(event, at: time)
    }

    func deliver() { inner.deliver() }

    func observer(ofCopy copy: TransportRequest) -> (any TransferObserver)? {
      forwardsCopies ? inner.observer(ofCopy: copy) : nil
    }
  }

  private struct WatchingLayer: TransportLayer {
    let wrapped: any Transport
    let forwardsCopies: Bool

    func start(
      _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
    ) -> any Cancellable {
      var request = request
      request.observer = request.observer.map { Forwarding($0, forwardsCopies: forwardsCopies) }
      return wrapped.start(request, handler: handler)
    }
  }

  @Test(
    "the events of a second copy are not mixed with those of the first one, whatever observes both",
    arguments: [false, true])
  func forwardedObservation(forwardsCopies: Bool) {
    let (wire, events) = (ScriptedTransport(), ObservedEvents())
    let layer = WatchingLayer(wrapped: wire.hedged(policy()), forwardsCopies: forwardsCopies)
    let provider = NetworkProvider<LoopbackTarget>(transport: layer, plugins: [events])
    provider.request(LoopbackTarget(URL(staticString: "http://host"))) { _ in }
    time.advance(by: .seconds(2))
    for transfer in wire.transfers { transfer.request.observer?.report(.connecting) }
    wire.transfers[0].respond(204)
    wire.transfers[1].send(.finished(.cancelled))
    let byRequest = Set(events.all.map(\.id)).sorted().map { id in
      events.all.filter { $0.id == id }.compactMap(\.name)
    }
    let first = ["queued", "started", "connecting", "firstByte", "ended 204"]
    #expect(
      byRequest == [first] + (forwardsCopies ? [["queued", "started", "connecting", "cancelled"]] : []))
  }

  @Test("the percentile is that of the latest 1,000 first copies", arguments: [50.0, 95, 99])
  func percentile(percent: Double) {
    var numbers = SplitMix64(seed: UInt64(percent))
    let policy = policy(.percentile(percent, initially: .seconds(100), within: .seconds(1e9)), ratio: 0)
    var latencies: [TimeInterval] = []
    for round in 0..<1_200 {
      let latency = Double(Int.random(in: 1...4_000, using: &numbers)) / 1_024
      let isFailure = round % 7 == 3
      let ending: ScheduledTransport.Ending = isFailure ? .error(.timedOut(after: .seconds(1))) : .status(200)
      _ = send(policy, [.init(after: latency, ending: ending)])
      if !isFailure { latencies.append(latency) }
      guard round % 10 == 0 || latencies.count == 19 || latencies.count == 20 else { continue }
      let latest = latencies.suffix(1_000).sorted()
      // The smallest latency that this percentage of the latencies does not exceed.
      let expected = latest.enumerated().first { index, _ in
        Double(index + 1) >= percent / 100 * Double(latest.count) - 1e-6
      }?.element
      // The clock counts from 2001, so that its readings have a rounding error of less than a microsecond.
      let difference = abs(policy.currentDelay.inSeconds - (latencies.count < 20 ? 100 : expected ?? 0))
      #expect(difference < 1e-6)
    }
  }

  @Test("a status that says that the server has failed does not count for the percentile")
  func failedResponses() {
    let policy = policy(.percentile(100, initially: .seconds(7), within: .seconds(1e9)), ratio: 0)
    for _ in 0..<20 { _ = send(policy, [.init(after: 1, ending: .status(503))]) }
    #expect(policy.currentDelay == .seconds(7))
    for _ in 0..<20 { _ = send(policy, [.init(after: 2, ending: .status(404))]) }
    #expect(abs(policy.currentDelay.inSeconds - 2) < 1e-6)
  }

  @Test("latencies older than five minutes do not decide")
  func oldLatencies() {
    let policy = policy(.percentile(100, initially: .seconds(7)), ratio: 0)
    func respond(after seconds: TimeInterval, times: Int) {
      let transport = ScheduledTransport(time) { _ in .init(after: seconds, ending: .status(200)) }
      for _ in 0..<times {
        _ = transport.hedged(policy).start(TransportRequest(url: "http://host/")) { _ in }
      }
      time.advance(by: .seconds(seconds))
    }
    respond(after: 4, times: 20)
    #expect(abs(policy.currentDelay.inSeconds - 4) < 1e-6)
    time.advance(by: .seconds(200))
    respond(after: 1, times: 20)
    #expect(abs(policy.currentDelay.inSeconds - 4) < 1e-6)
    time.advance(by: .seconds(100))
    #expect(abs(policy.currentDelay.inSeconds - 1) < 1e-6)
    time.advance(by: .seconds(201))
    #expect(policy.currentDelay == .seconds(7))
  }

  @Test("latencies grow old although the clock is set back")
  func clockSetBack() {
    let clock = SettableClock()
    func set(_ seconds: TimeInterval) {
      clock.time.withLock { $0 = Date(timeIntervalSinceReferenceDate: seconds) }
    }
    let policy = HedgePolicy(
      after: .percentile(100, initially: .seconds(7)), budget: RetryBudget(), scheduler: clock)
    set(10_000)
    for _ in 0..<20 { policy.record(since: clock.uptime.inSeconds - 4) }
    #expect(policy.currentDelay == .seconds(4))
    set(5_000)
    #expect(policy.currentDelay == .seconds(4))
    set(5_301)
    #expect(policy.currentDelay == .seconds(7))
  }

  @Test("the delay runs while a fault delays the first copy, as a slow server would")
  func faults() {
    var plan = ChaosPlan(seed: 1)
    plan.delayRate = 1
    plan.delays = .seconds(5) ... .seconds(5)
    let transport = ScheduledTransport(time) { _ in .init(after: 1, ending: .status(200)) }
    let faulty = ChaosTransport(transport, plan: plan, scheduler: time)
    _ = faulty.hedged(policy()).start(TransportRequest(url: "http://host/")) { _ in }
    time.advance(by: .seconds(1))
    #expect(faulty.requestCount == 1)
    time.advance(by: .seconds(1))
    #expect(faulty.requestCount == 2)
    time.advance(by: .seconds(1_000))
    #expect(time.pendingCount == 0)
  }

  @Test("the delay and the response time begin when the first copy has a place in a limit")
  func waiting() {
    let policy = policy(.percentile(100, initially: .seconds(2), within: .seconds(1e9)))
    let transport = ScheduledTransport(time) { _ in .init(after: 3, ending: .status(200)) }
    let limit = ConcurrencyLimit(1, scheduler: time)
    let (hedged, log) = (transport.limitConcurrency(limit).hedged(policy), Log())
    var tokens: [any Cancellable] = []
    for name in ["a", "b", "c"] {
      tokens.append(
        hedged.start(TransportRequest(url: "http://host/")) { event in
          if case .finished = event { log(name) }
        })
    }
    #expect(limit.waitingCount == 2)
    time.advance(by: .milliseconds(1500))
    tokens[2].cancel()
    time.advance(by: .milliseconds(250))
    #expect(limit.waitingCount == 1)
    // The second copy of "a" waits behind "b", and is withdrawn when the first one has ended.
    time.advance(by: .milliseconds(500))
    #expect(limit.waitingCount == 2)
    // "b" begins at 3; its second copy would have been sent at 2 otherwise.
    time.advance(by: .milliseconds(2500))
    #expect(limit.waitingCount == 0)
    time.advance(by: .seconds(100))
    #expect(log.all == ["c", "a", "b"])
    #expect(transport.log == ["0.0 0 starts", "3.0 1 starts"])
    #expect(time.pendingCount == 0)
  }

  @Test("the delay does not run while the first copy waits in one limit after another, behind other layers")
  func severalWaits() throws {
    let policy = policy(.percentile(100, initially: .seconds(2), within: .seconds(1e9)))
    let transport = ScheduledTransport(time) { _ in .init(after: 100, ending: .status(200)) }
    let limit = ConcurrencyLimit(1, scheduler: time)
    let rate = RateLimit(1, per: .seconds(30), scheduler: time)
    let limited = transport.limitConcurrency(limit, longestWait: nil).limitRate(rate, longestWait: nil)
    let hedged = CachingTransport(limited, cache: try HTTPCache()).hedged(policy).hedged(policy)
    let other = limited.start(TransportRequest(url: "http://host/")) { _ in }
    let token = hedged.start(TransportRequest(url: "http://host/")) { _ in }
    // Waits for its turn until 30, and for a place until 40.
    time.advance(by: .seconds(40))
    #expect((rate.waitingCount, limit.waitingCount) == (0, 1))
    other.cancel()
    time.advance(by: .milliseconds(1500))
    #expect(transport.log == ["0.0 0 starts", "40.0 0 cancelled", "40.0 1 starts"])
    #expect(rate.waitingCount == 0)
    // Both hedges send their second copy.
    time.advance(by: .seconds(1))
    #expect(rate.waitingCount == 2)
    token.cancel()
    time.advance(by: .seconds(100))
    #expect(transport.log.count == 4)
    #expect(time.pendingCount == 0)
  }

  @Test(
    "a second copy that waits for a place does not replace the result of the first one",
    arguments: [ScheduledTransport.Ending.status(503), .error(.connectionLost(reason: "reset"))])
  func waitingSecond(ending: ScheduledTransport.Ending) {
    let transport = ScheduledTransport(time) { _ in .init(after: 3, ending: ending) }
    let rate = RateLimit(1, per: .seconds(60), scheduler: time)
    let log = Log()
    let token = transport.limitRate(rate, longestWait: .seconds(5)).hedged(policy())
      .start(TransportRequest(url: "http://host/")) { event in
        switch event {
        case .head(let head): log("\(head.statusCode)")
        case .finished(let error): log(error == nil ? "end" : "\(error?.isRefusal == true)")
        default: break
        }
      }
    time.advance(by: .milliseconds(2500))
    #expect(rate.waitingCount == 1)
    time.advance(by: .milliseconds(500))
    #expect(log.all == (ending == .status(503) ? ["503", "end"] : ["false"]))
    #expect(rate.waitingCount == 0)
    withExtendedLifetime(token) {}
  }

  @Test("the delay runs if a layer sends a copy elsewhere that a limit has refused")
  func fallback() {
    let transport = ScheduledTransport(time) { _ in .init(after: 10, ending: .status(200)) }
    let limited = transport.limitConcurrency(ConcurrencyLimit(1, maxWaiting: 0, scheduler: time))
    let running = limited.start(TransportRequest(url: "http://host/")) { _ in }
    let hedged = FallbackLayer(wrapped: limited, other: transport).hedged(policy())
    let token = hedged.start(TransportRequest(url: "http://host/")) { _ in }
    time.advance(by: .milliseconds(2500))
    #expect(transport.log == ["0.0 0 starts", "0.0 1 starts", "2.0 2 starts"])
    running.cancel()
    token.cancel()
  }

  /// Sends a request over another transport if the first one has refused it.
  private struct FallbackLayer: TransportLayer {
    let wrapped: any Transport
    let other: any Transport

    func start(
      _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
    ) -> any Cancellable {
      wrapped.start(request) { event in
        guard case .finished(let error?) = event, error.isRefusal else { return handler(event) }
        _ = other.start(request, handler: handler)
      }
    }
  }

  @Test("the percentile does not count the wait for a place in a limit")
  func waitIsNotMeasured() {
    let policy = policy(.percentile(100, initially: .seconds(100), within: .seconds(1e9)), ratio: 0)
    let transport = ScheduledTransport(time) { _ in .init(after: 1, ending: .status(200)) }
    let limit = ConcurrencyLimit(1, scheduler: time)
    let hedged = transport.limitConcurrency(limit).hedged(policy)
    // The last one waits for 19 seconds.
    for _ in 0..<20 { _ = hedged.start(TransportRequest(url: "http://host/")) { _ in } }
    time.advance(by: .seconds(20))
    #expect(abs(policy.currentDelay.inSeconds - 1) < 1e-6)
  }

  @Test("an overtaken copy counts with the time until then, so that the share of hedges stays the same")
  func censored() {
    let policy = policy(.percentile(90, initially: .seconds(100), within: .seconds(1e9)))
    var numbers = SplitMix64(seed: 1)
    var hedges = 0
    for round in 0..<2_000 {
      let isSlow = Int.random(in: 0..<20, using: &numbers) == 0
      let latency = isSlow ? 50 : Double.random(in: 1...2, using: &numbers)
      let second = Double.random(in: 1...2, using: &numbers)
      let (_, wire) = send(
        policy, [.init(after: latency, ending: .status(200)), .init(after: second, ending: .status(200))])
      if round >= 1_000, wire.count > 1 { hedges += 1 }
    }
    #expect((70...130).contains(hedges))
  }
}

@Suite("Hedging on the wire", .timeLimit(.minutes(5)))
struct HedgingWireTests {
  private let policy = HedgePolicy(after: .fixed(.milliseconds(50)), budget: RetryBudget())
  private let gate = LoopbackServer.Gate()

  /// Returns a server that never responds to the first request, and holds the rest of the second body until
  /// the gate is open.
  private func server(isHTTP2: Bool = false) throws -> LoopbackServer {
    var options = LoopbackServer.Options()
    if isHTTP2 { options.http2 = .init() }
    let server = try LoopbackServer(tls: isHTTP2 ? .generated : nil, options: options)
    let isFirst = Lock(true)
    server.route("/item") { [gate] _ in
      let hangs = isFirst.withLock { isFirst in
        defer { isFirst = false }
        return isFirst
      }
      return hangs ? .never : .text("quick").bodyHeld(until: gate, after: 1)
    }
    return server
  }

  @Test("a request that asks for a new connection gets one, and a later one uses it again")
  func freshConnection() async throws {
    let server = try LoopbackServer { .text("\($0.indexOnConnection)") }
    let transport = try CurlTransport()
    var bodies: [String] = []
    for isNew in [false, false, true] {
      var request = TransportRequest(url: server.origin)
      request.needsNewConnection = isNew
      bodies.append(String(decoding: await transport.exchange(request).body, as: UTF8.self))
    }
    #expect(bodies == ["0", "1", "0"])
    #expect(server.log.openConnections == 2)
  }

  @Test("the server sees the loser's connection closed while it sends the winner's body")
  func loser() async throws {
    let server = try server()
    let provider = NetworkProvider<LoopbackTarget>(transport: try CurlTransport().hedged(policy))
    async let result = provider.result(LoopbackTarget(server, "/item"))
    let log = try await server.log { $0.abandoned.count == 1 && $0.pending == 1 }
    #expect(log.requestCount == 2)
    #expect(log.answered == 0)
    #expect(log.abandoned.first?.phase == .waiting)
    #expect(log.abandoned.first?.bytesSent == 0)
    gate.open()
    #expect(try await result.get().mapString() == "quick")
  }

  @Test(
    "over HTTP/2, the loser's stream is reset, and the others on its connection continue")
  func reset() async throws {
    // Over TLS, because libcurl 7.88 opens a connection for each request without it.
    let server = try server(isHTTP2: true)
    server.route("/other") { [gate] _ in .text("other").held(until: gate) }
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .data(server.authority)
    let transport = try CurlTransport(configuration: configuration)
    // Opens the connection.
    let other = transport.record(.init(url: server.origin + "/other")).recorder
    try await server.log { $0.pending == 1 }
    let winner = transport.hedged(policy).record(.init(url: server.origin + "/item")).recorder
    let log = try await server.log { $0.abandoned.count == 1 && $0.pending == 2 }
    #expect(log.requestCount == 3)
    #expect(log.abandoned.first?.phase == .waiting)
    gate.open()
    let events = [
      await winner.waitForEnd(), await other.waitForEnd(),
      await transport.exchange(.init(url: server.origin + "/other")),
    ]
    #expect(events.map(\.error) == [nil, nil, nil])
    #expect(events.map(\.body) == ["quick", "other", "other"].map { Data($0.utf8) })
    #expect(events.map { $0.head?.httpVersion } == [.http2, .http2, .http2])
    #expect(server.log.connectionsAccepted == 1)
  }
}

/// A transport whose transfers never end and record whether they are paused.
private final class PausableTransport: Transport {
  final class PausableTransfer: Transfer {
    private let state = Lock((isPaused: false, isCancelled: false))

    var isPaused: Bool { state.withLock { $0.isPaused } }
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func pause() { state.withLock { $0.isPaused = true } }
    func resume() { state.withLock { $0.isPaused = false } }
    func cancel() { state.withLock { $0.isCancelled = true } }
  }

  private let state = Lock((transfers: [PausableTransfer](), handlers: [@Sendable (TransferEvent) -> Void]()))

  var transfers: [PausableTransfer] { state.withLock { $0.transfers } }

  func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    let transfer = PausableTransfer()
    state.withLock { state in
      state.transfers.append(transfer)
      state.handlers.append(handler)
    }
    return transfer
  }
}

/// Counts the transfers of a transport.
private final class StartCounter: Sendable {
  private let count = Lock(0)

  func next() -> Int {
    count.withLock { count in
      count += 1
      return count
    }
  }
}

/// The token of a request, for the transport that carries it.
private final class TokenBox: Sendable {
  private let token = Lock<(any Cancellable)?>(nil)

  func store(_ token: any Cancellable) { self.token.withLock { $0 = token } }

  func cancel() { token.withLock { $0 }?.cancel() }
}
