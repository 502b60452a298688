import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("toArray")
struct ToArrayTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("all elements are sent on completion")
  func elements() {
    let source = scheduler.hot(.next(150, 0), .next(210, 1), .next(220, 2), .completed(230))
    #expect(scheduler.start { source.toArray() }.events == [.next(230, [1, 2]), .completed(230)])
    #expect(source.subscriptions == [Subscription(200, 230)])
  }

  @Test("the array of an empty sequence is empty")
  func empty() {
    let source = scheduler.hot(.completed(230))
    #expect(scheduler.start { source.toArray() }.events == [.next(230, []), .completed(230)])
  }

  @Test("an error is forwarded without the elements before it")
  func error() {
    let source = scheduler.hot(.next(210, 1), .error(220, TestError.one))
    #expect(scheduler.start { source.toArray() }.events == [.error(220, TestError.one)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test("without an end nothing is sent, and disposal disposes the source")
  func never() {
    let source = scheduler.hot(.next(210, 1))
    #expect(scheduler.start(disposed: 220) { source.toArray() }.events == [])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test("the elements are released with their array, or before an error", arguments: [false, true])
  func released(fails: Bool) {
    let (liveCount, feed) = (TrackedObject.LiveCount(), SingleObserverSource<TrackedObject>())
    var living: [Int] = []
    let subscription = feed.observable.toArray().asObservable().subscribe { _ in
      living.append(liveCount.value)
    }
    for value in 0..<2 { feed.send(.next(TrackedObject(value, in: liveCount))) }
    feed.send(fails ? .error(TestError.one) : .completed)
    #expect(living == (fails ? [0] : [2, 0]))
    subscription.dispose()
  }

  @Test("each subscription starts anew")
  func anew() {
    var arrays: [[Int]] = []
    let numbers = Observable.of(1, 2).toArray()
    for _ in 0..<2 { _ = numbers.subscribe(onSuccess: { arrays.append($0) }) }
    #expect(arrays == [[1, 2], [1, 2]])
  }
}
