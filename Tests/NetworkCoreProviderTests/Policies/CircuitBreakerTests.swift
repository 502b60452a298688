import Dispatch
import Foundation
import ReactiveNetworkLock
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("CircuitBreaker", .timeLimit(.minutes(5)))
struct CircuitBreakerTests {
  private let time = ManualDelayScheduler()
  private let error = NetworkError.underlying(TransferError.timedOut(after: .seconds(1)), nil)
  private let notFound = NetworkError.statusCode(Response(statusCode: 404, data: Data()))

  private func breaker(
    opensAt threshold: CircuitBreaker.Threshold = .consecutiveFailures(1), probes: Int = 1
  ) -> CircuitBreaker {
    CircuitBreaker(
      opensAt: threshold, probeWait: .seconds(5), multiplier: 3, longestProbeWait: .seconds(20),
      probes: probes, scheduler: time)
  }

  private func fail(_ breaker: CircuitBreaker, times: Int = 1) throws {
    for _ in 0..<times { try breaker.begin().fail(error) }
  }

  private func refusal(_ breaker: CircuitBreaker) -> TransferError? {
    do throws(TransferError) {
      try breaker.begin().cancel()
      return nil
    } catch {
      return error
    }
  }

  @Test("opens after consecutive failures, and a success resets their count")
  func row() throws {
    let breaker = breaker(opensAt: .consecutiveFailures(3))
    try fail(breaker, times: 2)
    try breaker.begin().succeed()
    try fail(breaker, times: 2)
    #expect(breaker.state == .closed)
    try fail(breaker)
    #expect(breaker.state == .open)
    time.advance(by: .seconds(2))
    #expect(refusal(breaker) == TransferError.circuitOpen(timeUntilProbe: .seconds(3)))
  }

  @Test("opens at a ratio of failures, but not before enough calls have ended", arguments: [false, true])
  func ratio(endsWithSuccess: Bool) throws {
    let breaker = breaker(opensAt: .failureRatio(0.5, minimumCalls: 6, window: .seconds(10)))
    for _ in 0..<2 {
      try fail(breaker)
      try breaker.begin().succeed()
    }
    if !endsWithSuccess { try breaker.begin().succeed() }
    try fail(breaker)
    #expect(breaker.state == (endsWithSuccess ? .closed : .open))
    if endsWithSuccess { try breaker.begin().succeed() }
    #expect(breaker.state == .open)
  }

  @Test("failures count only within the window")
  func window() throws {
    let breaker = breaker(opensAt: .failureRatio(0.5, minimumCalls: 4, window: .seconds(10)))
    try fail(breaker, times: 3)
    time.advance(by: .seconds(10))
    try fail(breaker, times: 3)
    #expect(breaker.state == .closed)
    time.advance(by: .seconds(9))
    try fail(breaker)
    #expect(breaker.state == .open)
  }

  @Test("errors that are not failures count as successes, and a cancel does not count")
  func otherErrors() throws {
    let breaker = breaker(opensAt: .consecutiveFailures(2))
    try fail(breaker)
    try breaker.begin().cancel()
    try breaker.begin().fail(NetworkError.underlying(TransferError.cancelled, nil))
    // Released without a report.
    _ = try breaker.begin()
    try fail(breaker)
    #expect(breaker.state == .open)
    let other = self.breaker(opensAt: .consecutiveFailures(2))
    try fail(other)
    try other.begin().fail(notFound)
    try fail(other)
    #expect(other.state == .closed)
  }

  @Test("the caller's closure decides which errors are failures")
  func rule() throws {
    let breaker = CircuitBreaker(
      opensAt: .consecutiveFailures(1), scheduler: time,
      isFailure: { ($0 as? NetworkError)?.response?.statusCode == 404 })
    try fail(breaker)
    #expect(breaker.state == .closed)
    try breaker.begin().fail(notFound)
    #expect(breaker.state == .open)
  }

  @Test("an error of another type counts as a success by default")
  func foreignError() throws {
    struct Failure: Error {}
    let breaker = breaker(opensAt: .consecutiveFailures(2))
    for reported in [error, Failure(), error] as [any Error] { try breaker.begin().fail(reported) }
    #expect(breaker.state == .closed)
    try fail(breaker)
    #expect(breaker.state == .open)
  }

  @Test("by default, half of twenty calls within ten seconds open it for five seconds")
  func defaults() throws {
    let breaker = CircuitBreaker(scheduler: time)
    try fail(breaker, times: 10)
    time.advance(by: .seconds(10))
    for _ in 0..<10 { try breaker.begin().succeed() }
    try fail(breaker, times: 9)
    #expect(breaker.state == .closed)
    try fail(breaker)
    #expect(refusal(breaker) == .circuitOpen(timeUntilProbe: .seconds(5)))
  }

  @Test("429 is no failure of the server, unless the closure says so", arguments: [false, true])
  func tooManyRequests(counts: Bool) throws {
    let strict = CircuitBreaker(
      opensAt: .consecutiveFailures(3), scheduler: time,
      isFailure: { ($0 as? NetworkError)?.isTransient == true })
    let breaker = counts ? strict : breaker(opensAt: .consecutiveFailures(3))
    for _ in 0..<3 {
      try breaker.begin().fail(NetworkError.statusCode(Response(statusCode: 429, data: Data())))
    }
    #expect(breaker.state == (counts ? .open : .closed))
  }

  private func slowBreaker(_ threshold: CircuitBreaker.Threshold? = nil) -> CircuitBreaker {
    CircuitBreaker(
      opensAt: .consecutiveFailures(2), slowCallDuration: .seconds(3), slowCallThreshold: threshold,
      probeWait: .seconds(5), scheduler: time)
  }

  private func call(_ breaker: CircuitBreaker, for seconds: TimeInterval) throws -> CircuitBreaker.Call {
    let call = try breaker.begin()
    time.advance(by: .seconds(seconds))
    return call
  }

  @Test("a slow call counts as a failure, even if it is cancelled, and a call of the limit is not slow")
  func slowCalls() throws {
    let breaker = slowBreaker()
    try call(breaker, for: 3.1).succeed()
    try call(breaker, for: 3).cancel()
    #expect(breaker.state == .closed)
    try call(breaker, for: 3.1).cancel()
    #expect(breaker.state == .open)
    let other = slowBreaker()
    try call(other, for: 3.1).succeed()
    try call(other, for: 3).succeed()
    try call(other, for: 3.1).succeed()
    #expect(other.state == .closed)
  }

  @Test("a call that another policy refuses is not slow, however long it has waited")
  func slowRefusals() throws {
    let breaker = slowBreaker()
    for _ in 0..<2 { try call(breaker, for: 9).fail(TransferError.waitedTooLong(.seconds(9))) }
    #expect(breaker.state == .closed)
    for _ in 0..<2 { try call(breaker, for: 9).fail(CancellationError()) }
    #expect(breaker.state == .open)
  }

  @Test("slow calls can have a threshold of their own, which failures and fast cancels do not affect")
  func slowCallThreshold() throws {
    let breaker = slowBreaker(.failureRatio(0.5, minimumCalls: 4, window: .seconds(60)))
    try call(breaker, for: 4).succeed()
    try call(breaker, for: 1).fail(error)
    try call(breaker, for: 1).cancel()
    try call(breaker, for: 1).succeed()
    try call(breaker, for: 1).fail(error)
    #expect(breaker.state == .closed)
    try call(breaker, for: 4).cancel()
    #expect(breaker.state == .closed)
    try call(breaker, for: 4).succeed()
    #expect(breaker.state == .open)
    // The failures have a threshold of their own, too.
    let other = slowBreaker(.consecutiveFailures(9))
    try call(other, for: 4).fail(error)
    try call(other, for: 4).fail(error)
    #expect(other.state == .open)
  }

  @Test(
    "a slow probe opens the breaker again", arguments: [nil, CircuitBreaker.Threshold.consecutiveFailures(9)])
  func slowProbe(threshold: CircuitBreaker.Threshold?) throws {
    let breaker = slowBreaker(threshold)
    try fail(breaker, times: 2)
    time.advance(by: .seconds(5))
    try call(breaker, for: 4).succeed()
    #expect(refusal(breaker) == TransferError.circuitOpen(timeUntilProbe: .seconds(10)))
    time.advance(by: .seconds(10))
    try call(breaker, for: 2).succeed()
    #expect(breaker.state == .closed)
  }

  @Test("a slow probe that is cancelled opens the breaker again, and a fast one does not")
  func slowCancelledProbe() throws {
    let breaker = slowBreaker()
    try fail(breaker, times: 2)
    time.advance(by: .seconds(5))
    try call(breaker, for: 2).cancel()
    #expect(breaker.state == .halfOpen)
    try call(breaker, for: 4).cancel()
    #expect(refusal(breaker) == TransferError.circuitOpen(timeUntilProbe: .seconds(10)))
  }

  @Test("one probe is made after the wait; its success closes the breaker")
  func probe() throws {
    let breaker = breaker()
    try fail(breaker)
    time.advance(by: .milliseconds(4900))
    #expect(refusal(breaker) != nil)
    time.advance(by: .milliseconds(100))
    let probe = try breaker.begin()
    #expect(breaker.state == .halfOpen)
    #expect(refusal(breaker) == TransferError.circuitOpen(timeUntilProbe: .zero))
    probe.succeed()
    #expect(breaker.state == .closed)
    #expect(refusal(breaker) == nil)
  }

  @Test("a probe without an end counts as failed after its time, from then on and for later calls")
  func probeTimeout() throws {
    let breaker = CircuitBreaker(
      opensAt: .consecutiveFailures(1), probeWait: .seconds(5), probeTimeout: .seconds(20), scheduler: time)
    let log = Log()
    let token = breaker.observeState { log("\($0)") }
    try fail(breaker)
    time.advance(by: .seconds(5))
    let endless = try breaker.begin()
    time.advance(by: .milliseconds(19900))
    #expect(refusal(breaker) == TransferError.circuitOpen(timeUntilProbe: .zero))
    time.advance(by: .milliseconds(2100))
    #expect(refusal(breaker) == TransferError.circuitOpen(timeUntilProbe: .seconds(8)))
    #expect(log.all == ["closed", "open", "halfOpen", "open"])
    endless.succeed()
    #expect(breaker.state == .open)
    time.advance(by: .seconds(8))
    let other = try breaker.begin()
    // No call is made until the time of this probe and the wait after it are over.
    time.advance(by: .seconds(3_600))
    try breaker.begin().succeed()
    #expect(breaker.state == .closed)
    withExtendedLifetime((endless, other, token)) {}
  }

  @Test("later probes do not extend the time of one that hangs, and without a running probe no time passes")
  func hangingProbe() throws {
    let breaker = CircuitBreaker(
      opensAt: .consecutiveFailures(1), probeWait: .seconds(5), probes: 3, probeTimeout: .seconds(20),
      scheduler: time)
    try fail(breaker)
    time.advance(by: .seconds(5))
    let hanging = try breaker.begin()
    for _ in 0..<4 {
      time.advance(by: .seconds(4))
      try breaker.begin().cancel()
    }
    time.advance(by: .seconds(4))
    #expect(refusal(breaker) == TransferError.circuitOpen(timeUntilProbe: .seconds(10)))
    hanging.succeed()
    #expect(breaker.state == .open)
    time.advance(by: .seconds(10))
    try breaker.begin().cancel()
    time.advance(by: .seconds(21))
    #expect(refusal(breaker) == nil)
    #expect(breaker.state == .halfOpen)
  }

  @Test("numbers outside their range neither keep the breaker open forever nor closed")
  func numbers() throws {
    let breaker = CircuitBreaker(
      opensAt: .failureRatio(2, minimumCalls: 2, window: .seconds(10)), slowCallDuration: .seconds(-1),
      slowCallThreshold: .consecutiveFailures(1), probeWait: .seconds(5), scheduler: time)
    try breaker.begin().succeed()
    #expect(breaker.state == .closed)
    time.advance(by: .seconds(20))
    try fail(breaker, times: 2)
    #expect(refusal(breaker) == TransferError.circuitOpen(timeUntilProbe: .seconds(5)))
    time.advance(by: .seconds(5))
    try breaker.begin().succeed()
    #expect(breaker.state == .closed)
    let other = self.breaker(opensAt: .failureRatio(.nan, minimumCalls: 1, window: .seconds(10)))
    try other.begin().succeed()
    #expect(other.state == .closed)
    try fail(other)
    #expect(other.state == .open)
  }

  @Test("a breaker without probes makes one, and a multiplier below 1 does not shorten its waits")
  func fewProbes() throws {
    let breaker = CircuitBreaker(
      opensAt: .consecutiveFailures(1), probeWait: .seconds(4), multiplier: 0.5, probes: 0, scheduler: time)
    try fail(breaker)
    #expect(refusal(breaker) == .circuitOpen(timeUntilProbe: .seconds(4)))
    time.advance(by: .seconds(4))
    try fail(breaker)
    #expect(refusal(breaker) == .circuitOpen(timeUntilProbe: .seconds(4)))
    time.advance(by: .seconds(4))
    try breaker.begin().succeed()
    #expect(breaker.state == .closed)
  }

  @Test("a negative time of a probe counts as 0")
  func noProbeTime() throws {
    let breaker = CircuitBreaker(
      opensAt: .consecutiveFailures(1), probeWait: .seconds(5), probeTimeout: .seconds(-3), scheduler: time)
    try fail(breaker)
    time.advance(by: .seconds(5))
    let probe = try breaker.begin()
    #expect(refusal(breaker) == .circuitOpen(timeUntilProbe: .seconds(10)))
    withExtendedLifetime(probe) {}
  }

  @Test(
    "in a window without length, only failures at the same time count",
    arguments: [.seconds(-1), .zero] as [Duration])
  func emptyWindow(window: Duration) throws {
    let breaker = breaker(opensAt: .failureRatio(0.5, minimumCalls: 2, window: window))
    try fail(breaker)
    time.advance(by: .seconds(1))
    try fail(breaker)
    #expect(breaker.state == .closed)
    try fail(breaker)
    #expect(breaker.state == .open)
  }

  @Test("the closure is called once for an error that is reported twice")
  func repeatedError() throws {
    let count = Lock(0)
    let breaker = CircuitBreaker(
      scheduler: time,
      isFailure: { _ in
        count.withLock { $0 += 1 }
        return true
      })
    let call = try breaker.begin()
    call.fail(error)
    call.fail(error)
    #expect(count.withLock { $0 } == 1)
  }

  @Test("an isolated breaker refuses all calls until it is closed by hand; running calls do not count")
  func isolation() throws {
    let breaker = breaker()
    let log = Log()
    let token = breaker.observeState { log("\($0)") }
    let late = [try breaker.begin(), try breaker.begin()]
    breaker.isolate()
    late[0].fail(error)
    time.advance(by: .seconds(3_600))
    #expect(refusal(breaker) == TransferError.circuitOpen(timeUntilProbe: nil))
    #expect(refusal(breaker)?.localizedDescription.contains("closed by hand") == true)
    breaker.close()
    late[1].fail(error)
    #expect(refusal(breaker) == nil)
    try fail(breaker)
    breaker.close()
    try fail(breaker)
    // The waits start again, too.
    #expect(refusal(breaker) == .circuitOpen(timeUntilProbe: .seconds(5)))
    #expect(log.all == ["closed", "isolated", "closed", "open", "closed", "open"])
    withExtendedLifetime(token) {}
  }

  @Test("closing a closed breaker forgets the calls that it has counted, and those that run")
  func closedWhileClosed() throws {
    let breaker = breaker(opensAt: .consecutiveFailures(2))
    let running = try breaker.begin()
    try fail(breaker)
    breaker.close()
    running.fail(error)
    try fail(breaker)
    #expect(breaker.state == .closed)
    try fail(breaker)
    #expect(breaker.state == .open)
  }

  @Test("the refused calls are counted")
  func refusals() throws {
    let breaker = breaker()
    try fail(breaker)
    for _ in 0..<3 { _ = refusal(breaker) }
    time.advance(by: .seconds(5))
    let probe = try breaker.begin()
    _ = refusal(breaker)
    probe.succeed()
    #expect(breaker.refusalCount == 4)
    breaker.isolate()
    _ = refusal(breaker)
    #expect(breaker.refusalCount == 5)
  }

  @Test("a cancelled probe makes room for another one")
  func cancelledProbe() throws {
    let breaker = breaker()
    try fail(breaker)
    time.advance(by: .seconds(5))
    let probe = try breaker.begin()
    probe.cancel()
    // Only the first report counts.
    probe.succeed()
    #expect(breaker.state == .halfOpen)
    try breaker.begin().succeed()
    #expect(breaker.state == .closed)
  }

  @Test("the refusal by another policy does not count")
  func otherPolicies() throws {
    let breaker = breaker()
    try fail(breaker)
    time.advance(by: .seconds(5))
    try breaker.begin().fail(TransferError.circuitOpen(timeUntilProbe: .seconds(1)))
    try breaker.begin().fail(TransferError.waitedTooLong(.seconds(1)))
    #expect(breaker.state == .halfOpen)
  }

  @Test("the number of probes bounds the running probes, and all of them must succeed")
  func probes() throws {
    let breaker = breaker(probes: 2)
    try fail(breaker)
    time.advance(by: .seconds(5))
    let probes = [try breaker.begin(), try breaker.begin()]
    #expect(refusal(breaker) != nil)
    probes[0].succeed()
    #expect(breaker.state == .halfOpen)
    #expect(refusal(breaker) != nil)
    probes[1].succeed()
    #expect(breaker.state == .closed)
  }

  @Test("more failed probes than their share open it, and otherwise it closes with the last probe")
  func probeFailureRatio() throws {
    for failures in 0...2 {
      let breaker = CircuitBreaker(
        opensAt: .consecutiveFailures(1), slowCallDuration: .seconds(1), probeWait: .seconds(5), probes: 4,
        probeFailureRatio: 0.25, scheduler: time)
      try fail(breaker)
      time.advance(by: .seconds(5))
      let probes = try (0..<4).map { _ in try breaker.begin() }
      // A slow probe has failed as well.
      if failures > 0 { probes[0].fail(error) } else { probes[0].succeed() }
      #expect(breaker.state == .halfOpen)
      if failures > 1 { time.advance(by: .seconds(2)) }
      probes[1].succeed()
      #expect(breaker.state == (failures > 1 ? .open : .halfOpen))
      probes[2].succeed()
      probes[3].succeed()
      #expect(breaker.state == (failures > 1 ? .open : .closed))
    }
  }

  @Test("a ratio of failed probes outside its range counts as the nearest end", arguments: [2, 1, -1, .nan])
  func probeFailureRatioOutsideTheRange(ratio: Double) throws {
    let breaker = CircuitBreaker(
      opensAt: .consecutiveFailures(1), probeWait: .seconds(5), probes: 2, probeFailureRatio: ratio,
      scheduler: time)
    try fail(breaker)
    time.advance(by: .seconds(5))
    let probes = [try breaker.begin(), try breaker.begin()]
    probes[0].fail(error)
    probes[1].fail(error)
    #expect(breaker.state == (ratio >= 1 ? .closed : .open))
  }

  @Test("the waits grow up to the longest, and start again after the breaker has closed")
  func waits() throws {
    let breaker = breaker()
    for wait in [.seconds(5), .seconds(15), .seconds(20), .seconds(20)] as [Duration] {
      try fail(breaker)
      #expect(refusal(breaker) == .circuitOpen(timeUntilProbe: wait))
      time.advance(by: wait)
    }
    try breaker.begin().succeed()
    try fail(breaker)
    #expect(refusal(breaker) == .circuitOpen(timeUntilProbe: .seconds(5)))
  }

  @Test("after it has closed again, failures from before do not count")
  func failuresBeforeClosing() throws {
    let breaker = breaker(opensAt: .consecutiveFailures(2))
    try fail(breaker, times: 2)
    #expect(breaker.state == .open)
    time.advance(by: .seconds(5))
    try breaker.begin().succeed()
    try fail(breaker)
    #expect(breaker.state == .closed)
    try fail(breaker)
    #expect(breaker.state == .open)
  }

  @Test("after it has closed again, slow calls from before do not count")
  func slowCallsBeforeClosing() throws {
    let breaker = slowBreaker(.consecutiveFailures(2))
    for _ in 0..<2 { try call(breaker, for: 4).succeed() }
    #expect(breaker.state == .open)
    time.advance(by: .seconds(5))
    try breaker.begin().succeed()
    try call(breaker, for: 4).succeed()
    #expect(breaker.state == .closed)
    try call(breaker, for: 4).succeed()
    #expect(breaker.state == .open)
  }

  @Test("a call that ends after the state has changed does not count")
  func lateEnds() throws {
    let breaker = breaker()
    let late = try (0..<4).map { _ in try breaker.begin() }
    try fail(breaker)
    late[0].succeed()
    late[1].fail(error)
    #expect(breaker.state == .open)
    time.advance(by: .seconds(5))
    let probe = try breaker.begin()
    late[2].succeed()
    #expect(breaker.state == .halfOpen)
    probe.succeed()
    late[3].fail(error)
    #expect(breaker.state == .closed)
  }

  @Test("a handler receives the current state and then the changes, without a lock, until it is cancelled")
  func observers() throws {
    let breaker = breaker()
    let log = Log()
    try fail(breaker)
    let token = breaker.observeState { state in
      // A handler may call the breaker.
      log("\(state) \(breaker.state)")
    }
    time.advance(by: .seconds(5))
    try breaker.begin().succeed()
    token.cancel()
    try fail(breaker)
    #expect(log.all == ["open open", "halfOpen halfOpen", "closed closed"])
  }

  @Test("a handler that is cancelled while a state waits for it keeps no state from the others")
  func cancelledWhileQueued() throws {
    let breaker = breaker()
    let log = Log()
    let second = Lock<(any Cancellable)?>(nil)
    let first = breaker.observeState { state in
      log("a \(state)")
      if state == .open { second.withLock { $0 }?.cancel() }
    }
    let token = breaker.observeState { log("b \($0)") }
    second.withLock { $0 = token }
    let third = breaker.observeState { log("c \($0)") }
    try fail(breaker)
    breaker.close()
    #expect(log.all == ["a closed", "b closed", "c closed", "a open", "c open", "a closed", "c closed"])
    withExtendedLifetime((first, third)) {}
  }

  @Test("a handler that changes the state receives the changes in their order")
  func reentrantObserver() throws {
    let breaker = breaker()
    let log = Log()
    let (error, time) = (error, time)
    _ = breaker.observeState { state in
      log("\(state)")
      if log.all == ["closed"] { try? breaker.begin().fail(error) }
      if state == .open, log.all.count < 4 {
        time.advance(by: .seconds(100))
        try? breaker.begin().succeed()
      }
    }
    #expect(log.all == ["closed", "open", "halfOpen", "closed"])
  }

  @Test(
    "a probe that ended before anything was sent does not count",
    arguments: [
      TransferError.cannotReadFile(path: "/f", reason: ""), TransferError.notStored(url: "http://h"),
      NetworkError.underlying(TransferError.unsupportedURL("h"), nil),
      CancellationError(), TransferError.circuitOpen(timeUntilProbe: .seconds(1)),
      TransferError.queueFull(maxWaiting: 0),
      NetworkError.underlying(TransferError.waitedTooLong(.seconds(1)), nil),
      NetworkError.underlying(TransferError.cancelled, nil), TransferError.cancelled,
    ] as [any Error & Sendable])
  func unsentProbe(error: any Error & Sendable) throws {
    let breaker = breaker()
    try fail(breaker)
    time.advance(by: .seconds(5))
    try breaker.begin().fail(error)
    #expect(breaker.state == .halfOpen)
  }

  @Test("an error contains the time until the next probe")
  func text() {
    #expect(
      TransferError.circuitOpen(timeUntilProbe: .milliseconds(2500)).localizedDescription.hasSuffix(
        "Try again in 2.5 s."))
    #expect(
      TransferError.circuitOpen(timeUntilProbe: .zero).localizedDescription.contains("probes the server now"))
  }

  @Test(
    "calls from many threads cause only allowed changes of state, and no probe is lost")
  func threads() {
    let breaker = CircuitBreaker(
      opensAt: .failureRatio(0.3, minimumCalls: 5, window: .seconds(60)), probeWait: .zero, probes: 2,
      scheduler: DispatchDelayScheduler())
    let log = Log()
    let token = breaker.observeState { log("\($0)") }
    let counts = Lock((made: 0, refused: 0))
    let error = error
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      var numbers = SplitMix64(seed: UInt64(thread))
      for _ in 0..<2_000 {
        guard let call = try? breaker.begin() else {
          counts.withLock { $0.refused += 1 }
          continue
        }
        counts.withLock { $0.made += 1 }
        switch Int.random(in: 0..<4, using: &numbers) {
        case 0: call.fail(error)
        case 1: call.cancel()
        default: call.succeed()
        }
      }
    }
    token.cancel()
    #expect(counts.withLock { $0.made + $0.refused } == 16_000)
    let states = log.all
    #expect(states.count > 3)
    let allowed: Set<String> = ["closed open", "open halfOpen", "halfOpen open", "halfOpen closed"]
    #expect(Set(zip(states, states.dropFirst()).map { "\($0) \($1)" }).isSubset(of: allowed))
    // No probe is lost: a breaker that is not closed can close again.
    for _ in 0..<4 { (try? breaker.begin())?.succeed() }
    #expect(breaker.state == .closed)
  }
}
