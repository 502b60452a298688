import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("flatMapFirst")
struct FlatMapFirstTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("elements that arrive while an inner sequence runs are dropped")
  func drops() {
    let outer = scheduler.hot(.next(210, 0), .next(220, 1), .next(280, 2), .completed(300))
    let inner = [
      scheduler.cold(.next(10, 1), .next(50, 2), .completed(60)),
      scheduler.cold(.next(1, 9)),
      scheduler.cold(.next(30, 3), .completed(50)),
    ]
    var selected: [Int] = []
    let observer = scheduler.start {
      outer.flatMapFirst { index in
        selected.append(index)
        return inner[index]
      }
    }
    #expect(observer.events == [.next(220, 1), .next(260, 2), .next(310, 3), .completed(330)])
    #expect(outer.subscriptions == [Subscription(200, 300)])
    #expect(inner.map(\.subscriptions) == [[Subscription(210, 270)], [], [Subscription(280, 330)]])
    #expect(selected == [0, 2])
  }

  @Test("an inner error ends all")
  func innerError() {
    let outer = scheduler.hot(.next(210, 0), .completed(600))
    let inner = scheduler.cold(.next(10, 1), .error(30, TestError.one))
    let observer = scheduler.start { outer.flatMapFirst { _ in inner } }
    #expect(observer.events == [.next(220, 1), .error(240, TestError.one)])
    #expect(outer.subscriptions == [Subscription(200, 240)])
  }

  @Test("an outer error disposes the inner sequence")
  func outerError() {
    let outer = scheduler.hot(.next(210, 0), .error(240, TestError.one))
    let inner = scheduler.cold(.next(10, 1), .next(50, 2))
    #expect(
      scheduler.start { outer.flatMapFirst { _ in inner } }.events == [
        .next(220, 1), .error(240, TestError.one),
      ])
    #expect(inner.subscriptions == [Subscription(210, 240)])
  }

  @Test("an element that the observer sends to the source arrives after an inner sequence that ends at once")
  func reentrant() {
    let source = PublishSubject<Int>()
    let recorder = RecordingObserver<Int>()
    _ = source.flatMapFirst { Observable.just($0) }
      .do(onNext: { if $0 < 3 { source.onNext($0 + 1) } })
      .subscribe(recorder)
    source.onNext(1)
    #expect(recorder.events == [.next(1), .next(2), .next(3)])
  }
}
