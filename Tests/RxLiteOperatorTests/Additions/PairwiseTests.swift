import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("pairwise")
struct PairwiseTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func sums(_ source: Observable<Int>) -> Observable<[Int]> {
    source.pairwise().map { [$0, $1] }
  }

  @Test("each element is sent with the previous one")
  func pairs() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .next(230, 3), .completed(240))
    let observer = scheduler.start { sums(source.asObservable()) }
    #expect(observer.events == [.next(220, [1, 2]), .next(230, [2, 3]), .completed(240)])
    #expect(source.subscriptions == [Subscription(200, 240)])
  }

  @Test("one element alone makes no pair, and an error is forwarded", arguments: [1_000, 215])
  func ends(disposed: Int) {
    let source = scheduler.hot(.next(210, 1), .error(220, TestError.one))
    let observer = scheduler.start(disposed: disposed) { sums(source.asObservable()) }
    #expect(observer.events == (disposed == 215 ? [] : [.error(220, TestError.one)]))
    #expect(source.subscriptions == [Subscription(200, min(disposed, 220))])
  }

  @Test("each subscription begins anew")
  func anew() {
    let pairs = sums(.of(1, 2))
    for _ in 0..<2 {
      let recorder = RecordingObserver<[Int]>()
      _ = pairs.subscribe(recorder)
      #expect(recorder.events == [.next([1, 2]), .completed])
    }
  }

  @Test("nil is an element like any other")
  func optionals() {
    let recorder = RecordingObserver<[Int?]>()
    _ = Observable<Int?>.of(nil, 1, nil).pairwise().map { [$0, $1] }.subscribe(recorder)
    #expect(recorder.elements == [[nil, 1], [1, nil]])
  }

  @Test("the last element is kept, but none before it")
  func released() {
    let liveCount = TrackedObject.LiveCount()
    let feed = SingleObserverSource<TrackedObject>()
    let subscription = feed.observable.pairwise().subscribe()
    for value in 0..<3 { feed.send(.next(TrackedObject(value, in: liveCount))) }
    #expect(liveCount.value == 1)
    subscription.dispose()
    #expect(liveCount.value == 0)
  }

  @Test("infallibles are paired in the same way")
  func infallible() {
    let recorder = RecordingObserver<Int>()
    _ = Infallible.of(1, 2, 4).pairwise().map { $1 - $0 }.asObservable().subscribe(recorder)
    #expect(recorder.events == [.next(1), .next(2), .completed])
  }
}
