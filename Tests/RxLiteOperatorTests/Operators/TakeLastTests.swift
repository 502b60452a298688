import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("takeLast")
struct TakeLastTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("the last elements are sent on completion", arguments: [0, 1, 2, 3, 4])
  func last(count: Int) {
    let source = scheduler.hot(.next(150, 9), .next(210, 1), .next(220, 2), .next(230, 3), .completed(250))
    let elements = [1, 2, 3].suffix(count).map { Recorded.next(250, $0) }
    #expect(scheduler.start { source.takeLast(count) }.events == elements + [.completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
  }

  @Test("an error drops them")
  func error() {
    let source = scheduler.hot(.next(210, 1), .error(220, TestError.one))
    #expect(scheduler.start { source.takeLast(1) }.events == [.error(220, TestError.one)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test("nothing is sent before completion")
  func never() {
    let source = scheduler.hot(.next(210, 1))
    #expect(scheduler.start { source.takeLast(1) }.events == [])
    #expect(source.subscriptions == [Subscription(200, 1000)])
  }

  @Test("disposal from inside an element stops all further events")
  func disposedInside() {
    let recorder = RecordingObserver<Int>()
    _ = Observable.of(1, 2, 3).takeLast(3).take(1).subscribe(recorder)
    #expect(recorder.events == [.next(1), .completed])
  }

  @Test("operators before it notice a disposal from inside an element")
  func disposedUpstream() {
    var sent: [Int] = []
    _ = Observable.of(1, 2, 3).takeLast(3).do(onNext: { sent.append($0) }).take(1).subscribe()
    #expect(sent == [1])
  }

  @Test("at most the requested number of elements is held, and none at the end")
  func lifetime() {
    let liveCount = TrackedObject.LiveCount()
    var send: ((TrackedObject) -> Void)?
    let source = Observable<TrackedObject>.create { observer in
      send = observer.onNext
      return Disposables.create { send = nil }
    }
    let subscription = source.takeLast(2).subscribe()
    for value in 0..<5 { send?(TrackedObject(value, in: liveCount)) }
    #expect(liveCount.value == 2)
    subscription.dispose()
    #expect(liveCount.value == 0)
  }

  @Test("an error is forwarded after the release of the elements")
  func releasedAtAnError() {
    let (liveCount, feed) = (TrackedObject.LiveCount(), SingleObserverSource<TrackedObject>())
    var living: [Int] = []
    let subscription = feed.observable.takeLast(2).subscribe(onError: { _ in living.append(liveCount.value) })
    for value in 0..<2 { feed.send(.next(TrackedObject(value, in: liveCount))) }
    feed.send(.error(TestError.one))
    #expect(living == [0])
    subscription.dispose()
  }

  @Test("a negative number stops the process", .timeLimit(.minutes(5)))
  func negative() async {
    await #expect(processExitsWith: .failure) { _ = Observable.of(1, 2).takeLast(-1) }
  }
}
