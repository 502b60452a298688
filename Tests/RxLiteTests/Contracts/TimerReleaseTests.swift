import Dispatch
import RxLite
import RxLiteTesting
import Testing

/// Disposing a subscription cancels its timers: nothing stays in memory until they are due.
@Suite("timers of a disposed subscription")
struct TimerReleaseTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let apply: @Sendable (Observable<Tracked>, TestScheduler) -> Observable<Tracked>

    init(
      _ name: String,
      _ apply: @escaping @Sendable (Observable<Tracked>, TestScheduler) -> Observable<Tracked>
    ) {
      testDescription = name
      self.apply = apply
    }
  }

  private static let all = [
    Row("debounce") { $0.debounce(.seconds(9), scheduler: $1) },
    Row("throttle") { $0.throttle(.seconds(9), scheduler: $1) },
    Row("delay") { $0.delay(.seconds(9), scheduler: $1) },
    Row("delaySubscription") { $0.delaySubscription(.seconds(9), scheduler: $1) },
    Row("timeout") { $0.timeout(.seconds(9), scheduler: $1) },
    Row("timeout with another") {
      $0.timeout(.seconds(9), other: Observable<Tracked>.never(), scheduler: $1)
    },
    Row("take(for:)") { $0.take(for: .seconds(9), scheduler: $1) },
    Row("skip(_:scheduler:)") { $0.skip(.seconds(9), scheduler: $1) },
    Row("buffer") { $0.buffer(timeSpan: .seconds(9), count: 9, scheduler: $1).compactMap(\.last) },
    Row("window") { $0.window(timeSpan: .seconds(9), count: 9, scheduler: $1).flatMap { $0 } },
    Row("observe(on:)") { $0.observe(on: $1) },
    Row("subscribe(on:)") { $0.subscribe(on: $1) },
  ]

  @Test("keep neither elements nor the observer", arguments: all, [false, true])
  private func released(row: Row, isEnd: Bool) {
    let liveCount = Tracked.LiveCount()
    let scheduler = TestScheduler(initialClock: 0)
    let feed = Feed<Tracked>()
    let subscription: any Disposable
    do {
      let held = Tracked(in: liveCount)
      subscription = row.apply(feed.observable, scheduler).subscribe(
        onNext: { _ in _ = held.value }, onError: { _ in _ = held.value })
    }
    for _ in 0..<2 { feed.send(.next(Tracked(in: liveCount))) }
    #expect(liveCount.value > 0)
    if isEnd { feed.send(.error(TestError.one)) }
    // An error ends every operator except those that have not subscribed yet or that queue the error.
    subscription.dispose()
    #expect(liveCount.value == 0)
    withExtendedLifetime(scheduler) {}
  }
}
