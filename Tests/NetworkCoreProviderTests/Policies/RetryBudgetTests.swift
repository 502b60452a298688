import Dispatch
import Foundation
import ReactiveNetworkLock
import class MoyaCompatibility.Interceptor
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("RetryBudget", .timeLimit(.minutes(5)))
struct RetryBudgetTests {
  private let time = ManualDelayScheduler()

  private func budget(
    ratio: Double = 0, minimumPerSecond: Double = 0, window: Duration = .seconds(10)
  ) -> RetryBudget {
    RetryBudget(ratio: ratio, minimumPerSecond: minimumPerSecond, window: window, scheduler: time)
  }

  private func withdrawals(_ budget: RetryBudget) -> Int {
    var count = 0
    while budget.withdraw() { count += 1 }
    return count
  }

  @Test(
    "requests allow their share of retries",
    arguments: [(0.2, 4, 0), (0.2, 5, 1), (0.2, 14, 2), (0.29, 100, 29), (1, 3, 3), (2, 3, 6), (0, 9, 0)])
  func share(ratio: Double, requests: Int, retries: Int) {
    let budget = budget(ratio: ratio)
    for _ in 0..<requests { budget.deposit() }
    #expect(budget.availableRetries == retries)
    #expect(withdrawals(budget) == retries)
    #expect(budget.availableRetries == 0)
    #expect(!budget.withdraw())
  }

  @Test("a minimum is available without any request, in each window")
  func minimum() {
    let budget = budget(minimumPerSecond: 2, window: .seconds(5))
    #expect(withdrawals(budget) == 10)
    time.advance(by: .milliseconds(4490))
    #expect(withdrawals(budget) == 0)
    time.advance(by: .milliseconds(510))
    #expect(withdrawals(budget) == 10)
  }

  @Test("a request counts only within the window")
  func window() {
    let budget = budget(ratio: 1)
    budget.deposit()
    time.advance(by: .seconds(9))
    #expect(budget.availableRetries == 1)
    time.advance(by: .seconds(1))
    #expect(budget.availableRetries == 0)
    #expect(!budget.withdraw())
  }

  @Test("a budget that was used long ago starts again")
  func pause() {
    let budget = budget(ratio: 1, minimumPerSecond: 0.1)
    for _ in 0..<3 { budget.deposit() }
    #expect(withdrawals(budget) == 3)
    time.advance(by: .seconds(1_000_000))
    #expect(withdrawals(budget) == 1)
  }

  @Test("the minimum replaces a smaller share, and is not added to it")
  func greater() {
    let budget = budget(ratio: 0.5, minimumPerSecond: 0.3)
    for _ in 0..<6 { budget.deposit() }
    #expect(budget.availableRetries == 3)
    for _ in 0..<4 { budget.deposit() }
    #expect(withdrawals(budget) == 5)
  }

  @Test("the defaults are a fifth of the requests, of one a second at least, over 10 seconds")
  func defaults() {
    let budget = RetryBudget(scheduler: time)
    #expect(budget.ratio == 0.2)
    #expect(budget.minimumPerSecond == 0.2)
    #expect(budget.window == .seconds(10))
    #expect(budget.availableRetries == 2)
    let hedge = RetryBudget(ratio: 0.1, scheduler: time)
    #expect(hedge.minimumPerSecond == 0.1)
    #expect(hedge.availableRetries == 1)
  }

  @Test(
    "the default lets only the share of retries through while all requests fail, at any rate",
    arguments: [1.0, 10, 100], [0.1, 0.2])
  func rates(perSecond: Double, ratio: Double) {
    let budget = RetryBudget(ratio: ratio, scheduler: time)
    let requests = 60 * Int(perSecond)
    var retries = 0
    for _ in 0..<requests {
      budget.deposit()
      for _ in 0..<3 where budget.withdraw() { retries += 1 }
      time.advance(by: .seconds(1 / perSecond))
    }
    #expect(Double(retries) <= ratio * Double(requests))
    #expect(Double(retries) > 0.8 * ratio * Double(requests))
  }

  @Test(
    "numbers outside a range count as its nearest end",
    arguments: [
      (-1, .seconds(-1)), (-.infinity, .zero), (.nan, .microseconds(1)), (.infinity, .seconds(Int64.max / 4)),
      (1e300, .seconds(86_401)),
    ] as [(Double, Duration)])
  func range(number: Double, window: Duration) {
    let budget = budget(ratio: number, minimumPerSecond: number, window: window)
    budget.deposit()
    _ = budget.withdraw()
    #expect(number > 0 ? budget.availableRetries > 1_000_000 : budget.availableRetries == 0)
    let nearest: Duration = number > 0 ? .seconds(86_400) : .milliseconds(1)
    #expect(budget.window == nearest)
  }

  @Test("a clock that is set back does not stop the window")
  func setBack() {
    let clock = SettableClock()
    let budget = RetryBudget(ratio: 0, minimumPerSecond: 0.1, window: .seconds(10), scheduler: clock)
    #expect(budget.withdraw())
    clock.time.withLock { $0 += -3_600 }
    #expect(!budget.withdraw())
    clock.time.withLock { $0 += 10 }
    #expect(budget.withdraw())
  }

  @Test("a clock that is set back twice does not stop the window")
  func setBackTwice() {
    let clock = SettableClock()
    let budget = RetryBudget(ratio: 0, minimumPerSecond: 0.1, window: .seconds(10), scheduler: clock)
    #expect(budget.withdraw())
    for seconds in [3_600.0, 100] {
      clock.time.withLock { $0 -= seconds }
      #expect(!budget.withdraw())
    }
    clock.time.withLock { $0 += 10 }
    #expect(budget.withdraw())
  }

  @Test("a reading that another thread has taken half a second earlier does not move the clock")
  func earlierReading() {
    let clock = SettableClock()
    let budget = RetryBudget(ratio: 0, minimumPerSecond: 0.1, window: .seconds(10), scheduler: clock)
    #expect(budget.withdraw())
    clock.time.withLock { $0 -= 0.5 }
    #expect(!budget.withdraw())
    clock.time.withLock { $0 += 10.25 }
    #expect(!budget.withdraw())
    clock.time.withLock { $0 += 0.5 }
    #expect(budget.withdraw())
  }

  /// A scheduler with an uptime of its own, which nobody sets.
  private final class UptimeScheduler: DelayScheduler {
    let clock = SettableClock()
    let elapsed = Lock(Duration.zero)
    var now: Date { clock.now }
    var uptime: Duration { elapsed.withLock { $0 } }

    func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> any Cancellable {
      clock.schedule(after: delay, action)
    }
  }

  @Test("a scheduler's own uptime measures the window, not its time")
  func uptime() {
    let scheduler = UptimeScheduler()
    let budget = RetryBudget(ratio: 0, minimumPerSecond: 0.1, window: .seconds(10), scheduler: scheduler)
    #expect(budget.withdraw())
    scheduler.clock.time.withLock { $0 += 3_600 }
    #expect(!budget.withdraw())
    scheduler.elapsed.withLock { $0 += .seconds(11) }
    #expect(budget.withdraw())
  }

  /// Counts each tenth of the window separately, and adds up the latest ten.
  @Test("for any traffic, the budget allows the same retries as a simple count", arguments: 0..<20)
  func reference(seed: UInt64) {
    var numbers = SplitMix64(seed: seed)
    let budget = budget(ratio: 0.3, minimumPerSecond: 0.5)
    var requests: [Int] = []
    var retries: [Int] = []
    var tenths = 0
    for _ in 0..<500 {
      let step = Int.random(in: 0...3, using: &numbers)
      // Times are multiples of half a tenth, so that rounding has no effect.
      time.advance(by: .milliseconds(step * 500))
      tenths += step
      let slot = tenths / 2
      if Bool.random(using: &numbers) {
        budget.deposit()
        requests.append(slot)
      } else {
        let allowed = max(0.3 * Double(requests.count { $0 > slot - 10 }), 0.5 * 10) + 1e-6
        let isAllowed = retries.count { $0 > slot - 10 } < Int(allowed)
        #expect(budget.withdraw() == isAllowed)
        if isAllowed { retries.append(slot) }
      }
    }
    #expect(retries.count > 20)
  }

  @Test("no deposit and no withdrawal from many threads is lost")
  func threads() {
    let budget = budget(ratio: 0.5)
    let withdrawn = Lock(0)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      var count = 0
      for _ in 0..<5_000 {
        budget.deposit()
        if budget.withdraw() { count += 1 }
      }
      withdrawn.withLock { $0 += count }
    }
    #expect(withdrawn.withLock { $0 } + withdrawals(budget) == 20_000)
  }
}

@Suite("RetryPolicy with a budget", .timeLimit(.minutes(5)))
struct RetryPolicyBudgetTests {
  private let time = ManualDelayScheduler()

  /// Sends requests that end at once, one after the other, and runs their retries to the end.
  private func send(
    _ count: Int, _ status: Int, _ interceptor: any RequestInterceptor
  ) -> (attempts: Int, outcome: CompletionRecorder) {
    let transport = ScriptedTransport { $0.respond(status) }
    let outcome = CompletionRecorder()
    let provider = NetworkProvider<GitHub>(
      transport: transport, interceptors: [interceptor], scheduler: time)
    for _ in 0..<count { provider.request(.zen, completion: outcome.completion) }
    time.advance(by: .seconds(60))
    return (transport.transfers.count, outcome)
  }

  private func budget(ratio: Double = 0.2, minimumPerSecond: Double = 0) -> RetryBudget {
    RetryBudget(ratio: ratio, minimumPerSecond: minimumPerSecond, window: .seconds(3_600), scheduler: time)
  }

  @Test("fails with the original error when the budget is empty, and counts only first attempts")
  func bound() {
    let (attempts, outcome) = send(10, 503, RetryPolicy(retryLimit: 5, budget: budget()))
    #expect(attempts == 12)
    #expect(outcome.summaries == Array(repeating: "503", count: 10))
  }

  @Test("has no budget by default")
  func none() {
    #expect(send(10, 503, RetryPolicy()).attempts == 30)
  }

  @Test("successful requests allow retries of other requests")
  func successes() {
    let budget = budget()
    #expect(send(20, 200, RetryPolicy(budget: budget)).attempts == 20)
    #expect(budget.availableRetries == 4)
    #expect(send(10, 503, RetryPolicy(budget: budget)).attempts == 16)
  }

  @Test("a request that is not retried withdraws nothing", arguments: [404, 429])
  func lasting(status: Int) {
    let budget = budget(ratio: 1)
    // The status is not retried, or the limit is 0.
    #expect(send(3, status, RetryPolicy(retryLimit: status == 404 ? 2 : 0, budget: budget)).attempts == 3)
    #expect(budget.availableRetries == 3)
  }

  @Test("a retry that the deadline prevents withdraws nothing")
  func prevented() {
    let budget = budget(ratio: 1)
    let policy = RetryPolicy(
      exponentialBackoffScale: 8, jitter: 0, deadline: .seconds(1), budget: budget)
    #expect(send(3, 503, policy).attempts == 3)
    #expect(budget.availableRetries == 3)
  }

  @Test("a policy among several interceptors deposits and withdraws")
  func interceptors() {
    let budget = budget(ratio: 0.5)
    #expect(send(4, 503, Interceptor(interceptors: [RetryPolicy(budget: budget)])).attempts == 6)
  }
}
