import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("take(while:)")
struct TakeWhileTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test(
    "the first element that fails the predicate completes it, and is sent if inclusive",
    arguments: [TakeBehavior.exclusive, .inclusive])
  func ends(behavior: TakeBehavior) {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .next(230, 3), .next(240, 1), .completed(250))
    var calls: [Int] = []
    let observer = scheduler.start {
      source.take(
        while: {
          calls.append($0); return $0 < 3
        }, behavior: behavior)
    }
    let last: [Recorded<Event<Int>>] = behavior == .inclusive ? [.next(230, 3)] : []
    #expect(observer.events == [.next(210, 1), .next(220, 2)] + last + [.completed(230)])
    #expect(source.subscriptions == [Subscription(200, 230)])
    #expect(calls == [1, 2, 3])
  }

  @Test("the default behavior is exclusive")
  func defaultBehavior() {
    let recorder = RecordingObserver<Int>()
    _ = Observable.of(1, 2, 3).take(while: { $0 < 2 }).subscribe(recorder)
    #expect(recorder.events == [.next(1), .completed])
  }

  @Test("elements that are sent from inside the last one are not forwarded")
  func reentrant() {
    let subject = PublishSubject<Int>()
    let recorder = RecordingObserver<Int>()
    _ = subject.take(while: { $0 < 2 }, behavior: .inclusive).subscribe { event in
      recorder.on(event)
      subject.onNext(0)
      if event.element == 0 { subject.onNext(2) }
    }
    subject.onNext(2)
    #expect(recorder.events == [.next(2), .completed])
  }
}
