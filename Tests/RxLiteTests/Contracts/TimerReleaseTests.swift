import Dispatch
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

/// Disposing a subscription cancels its timers: nothing stays in memory until they are due.
@Suite("Timers of a disposed subscription")
struct TimerReleaseTests {
  struct OperatorCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let apply: @Sendable (Observable<TrackedObject>, TestScheduler) -> Observable<TrackedObject>

    init(
      _ name: String,
      _ apply: @escaping @Sendable (Observable<TrackedObject>, TestScheduler) -> Observable<TrackedObject>
    ) {
      testDescription = name
      self.apply = apply
    }
  }

  private static let all = [
    OperatorCase("debounce") { $0.debounce(.seconds(9), scheduler: $1) },
    OperatorCase("throttle") { $0.throttle(.seconds(9), scheduler: $1) },
    OperatorCase("delay") { $0.delay(.seconds(9), scheduler: $1) },
    OperatorCase("delaySubscription") { $0.delaySubscription(.seconds(9), scheduler: $1) },
    OperatorCase("timeout") { $0.timeout(.seconds(9), scheduler: $1) },
    OperatorCase("timeout with another") {
      $0.timeout(.seconds(9), other: Observable<TrackedObject>.never(), scheduler: $1)
    },
    OperatorCase("take(for:)") { $0.take(for: .seconds(9), scheduler: $1) },
    OperatorCase("skip(_:scheduler:)") { $0.skip(.seconds(9), scheduler: $1) },
    OperatorCase("buffer") { $0.buffer(timeSpan: .seconds(9), count: 9, scheduler: $1).compactMap(\.last) },
    OperatorCase("window") { $0.window(timeSpan: .seconds(9), count: 9, scheduler: $1).flatMap { $0 } },
    OperatorCase("observe(on:)") { $0.observe(on: $1) },
    OperatorCase("subscribe(on:)") { $0.subscribe(on: $1) },
  ]

  @Test("keep neither elements nor the observer", arguments: all, [false, true])
  private func released(row: OperatorCase, isEnd: Bool) {
    let liveCount = TrackedObject.LiveCount()
    let scheduler = TestScheduler(initialClock: 0)
    let feed = SingleObserverSource<TrackedObject>()
    let subscription: any Disposable
    do {
      let held = TrackedObject(in: liveCount)
      subscription = row.apply(feed.observable, scheduler).subscribe(
        onNext: { _ in _ = held.value }, onError: { _ in _ = held.value })
    }
    for _ in 0..<2 { feed.send(.next(TrackedObject(in: liveCount))) }
    #expect(liveCount.value > 0)
    if isEnd { feed.send(.error(TestError.one)) }
    // An error ends every operator except those that have not subscribed yet or that queue the error.
    subscription.dispose()
    #expect(liveCount.value == 0)
    withExtendedLifetime(scheduler) {}
  }
}
