import Foundation
import NetworkCore
import ReactiveNetwork
import RxLite
import RxLiteTesting
import Testing

@Suite("retry(backoff:budget:)")
struct RetryBudgetTests {
  private let scheduler = TestScheduler(initialClock: 0)
  private let error = NetworkError.statusCode(Response(statusCode: 503, data: Data()))

  private func budget(ratio: Double, minimumPerSecond: Double = 0) -> RetryBudget {
    RetryBudget(
      ratio: ratio, minimumPerSecond: minimumPerSecond, window: .seconds(100),
      scheduler: scheduler.asDelayScheduler())
  }

  private func failing(_ budget: RetryBudget?, at time: Int, maxAttempts: Int = 4) -> TestableObservable<Int>
  {
    let source = scheduler.createColdObservable([Recorded<Event<Int>>.error(1, error)])
    let retried = source.retry(
      backoff: .constant(.seconds(5)), maxAttempts: maxAttempts, budget: budget, when: isTransient,
      scheduler: scheduler)
    scheduler.scheduleAt(time) { _ = retried.subscribe(onError: { _ in }) }
    return source
  }

  @Test("an empty budget ends a retry at once with the original error", arguments: [false, true])
  func empty(isSingle: Bool) {
    let source = scheduler.createColdObservable([Recorded<Event<Int>>.error(10, error)])
    let budget = budget(ratio: 1)
    let (scheduler, backoff) = (scheduler, Backoff.constant(.seconds(5)))
    let result = scheduler.start {
      isSingle
        ? source.asSingle().retry(
          backoff: backoff, maxAttempts: 4, budget: budget, when: isTransient, scheduler: scheduler
        )
        .asObservable()
        : source.retry(
          backoff: backoff, maxAttempts: 4, budget: budget, when: isTransient, scheduler: scheduler)
    }
    #expect(source.subscriptions == [Subscription(200, 210), Subscription(215, 225)])
    #expect(result.events.map(\.time) == [225])
    guard case .statusCode(let response)? = result.events.first?.value.error as? NetworkError else {
      Issue.record("\(result.events)")
      return
    }
    #expect(response.statusCode == 503)
  }

  @Test("a hundred pipelines send a fifth more requests to a server that fails, not four times as many")
  func storm() {
    func attempts(_ budget: RetryBudget?) -> Int {
      let sources = (0..<100).map { _ in failing(budget, at: scheduler.clock + 1) }
      scheduler.start()
      return sources.map(\.subscriptions.count).reduce(0, +)
    }
    #expect(attempts(nil) == 400)
    #expect(attempts(budget(ratio: 0.2)) == 120)
  }

  @Test("each subscription to a retried sequence deposits")
  func subscriptions() {
    let source = scheduler.createColdObservable([Recorded<Event<Int>>.error(1, error)])
    let retried = source.retry(
      backoff: .constant(.seconds(5)), maxAttempts: 2, budget: budget(ratio: 1), when: isTransient,
      scheduler: scheduler)
    for time in [50, 70] { scheduler.scheduleAt(time) { _ = retried.subscribe(onError: { _ in }) } }
    scheduler.start()
    #expect(source.subscriptions.map(\.subscribe) == [50, 56, 70, 76])
  }

  @Test("deposits of an expired window allow no retries")
  func window() {
    let budget = budget(ratio: 0.5)
    for _ in 0..<10 { budget.deposit() }
    let early = failing(budget, at: 50, maxAttempts: 2)
    let late = failing(budget, at: 200, maxAttempts: 2)
    scheduler.start()
    #expect(early.subscriptions.map(\.subscribe) == [50, 56])
    #expect(late.subscriptions.map(\.subscribe) == [200])
  }

  @Test("an error that is not retried withdraws nothing")
  func untouched() {
    struct OtherError: Error {}
    let budget = budget(ratio: 1)
    let source = scheduler.createColdObservable([Recorded<Event<Int>>.error(1, OtherError())])
    _ = scheduler.start(disposed: 250) {
      source.retry(backoff: .immediate(maxCount: 3), budget: budget, when: isTransient, scheduler: scheduler)
    }
    #expect(budget.availableRetries == 1)
  }

  @Test("a dispose during the wait ends it; the withdrawal remains")
  func dispose() {
    let budget = budget(ratio: 2)
    let source = scheduler.createColdObservable([Recorded<Event<Int>>.error(10, error)])
    let result = scheduler.start(disposed: 212) {
      source.retry(backoff: .constant(.seconds(5)), budget: budget, when: isTransient, scheduler: scheduler)
    }
    #expect(source.subscriptions == [Subscription(200, 210)])
    #expect(result.events.isEmpty)
    #expect(budget.availableRetries == 1)
  }
}
