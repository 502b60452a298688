import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("take(until:)")
struct TakeUntilTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("if the other sequence sends at once, the source is subscribed to and disposed before it sends")
  func otherAtOnce() {
    let log = Log()
    func named(_ name: String) -> Observable<Int> {
      .create { observer in
        log.add("subscribe \(name)")
        observer.onNext(0)
        observer.onCompleted()
        return Disposables.create { log.add("dispose \(name)") }
      }
    }
    let recorder = RecordingObserver<Int>()
    _ = named("x").take(until: Observable.just(1)).concat(named("y")).subscribe(recorder)
    #expect(log.lines == ["subscribe x", "dispose x", "subscribe y", "dispose y"])
    #expect(recorder.events == [.next(0), .completed])
  }

  private func source() -> TestableObservable<Int> {
    scheduler.hot(.next(150, 0), .next(210, 1), .next(220, 2), .next(230, 3), .completed(250))
  }

  @Test("the first element of the other sequence completes it")
  func ends() {
    let (source, other) = (source(), scheduler.hot(.next(225, 9), .next(226, 9), .completed(300)))
    let observer = scheduler.start { source.take(until: other) }
    #expect(observer.events == [.next(210, 1), .next(220, 2), .completed(225)])
    #expect(source.subscriptions == [Subscription(200, 225)])
    #expect(other.subscriptions == [Subscription(200, 225)])
  }

  @Test("completion of the other sequence is ignored")
  func otherEnds() {
    let (source, other) = (source(), scheduler.hot(.completed(225)))
    let observer = scheduler.start { source.take(until: other) }
    #expect(observer.events == [.next(210, 1), .next(220, 2), .next(230, 3), .completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
    #expect(other.subscriptions == [Subscription(200, 225)])
  }

  @Test("an other sequence that completes during its subscription is disposed at once")
  func otherEndsAtOnce() {
    let resource = BooleanDisposable()
    let other = Observable<Int>.using({ resource }, observableFactory: { _ in Observable<Int>.empty() })
    let subscription = Observable<Int>.never().take(until: other).subscribe()
    #expect(resource.isDisposed)
    subscription.dispose()
  }

  @Test("an error of the other sequence is forwarded")
  func otherFails() {
    let (source, other) = (source(), scheduler.hot(.error(225, TestError.one)))
    let observer = scheduler.start { source.take(until: other) }
    #expect(observer.events == [.next(210, 1), .next(220, 2), .error(225, TestError.one)])
    #expect(source.subscriptions == [Subscription(200, 225)])
    #expect(other.subscriptions == [Subscription(200, 225)])
  }

  @Test("completion of the source disposes the other sequence")
  func sourceEnds() {
    let (source, other) = (source(), scheduler.hot(.next(300, 9)))
    let observer = scheduler.start { source.take(until: other) }
    #expect(observer.events == [.next(210, 1), .next(220, 2), .next(230, 3), .completed(250)])
    #expect(other.subscriptions == [Subscription(200, 250)])
  }

  @Test("an error of the source disposes the other sequence")
  func sourceFails() {
    let source = scheduler.hot(.next(210, 1), .error(220, TestError.one))
    let other = scheduler.hot(.next(300, 9))
    let observer = scheduler.start { source.take(until: other) }
    #expect(observer.events == [.next(210, 1), .error(220, TestError.one)])
    #expect(other.subscriptions == [Subscription(200, 220)])
  }

  @Test("disposal disposes both")
  func disposed() {
    let (source, other) = (source(), scheduler.hot(.next(300, 9)))
    #expect(scheduler.start(disposed: 215) { source.take(until: other) }.events == [.next(210, 1)])
    #expect(source.subscriptions == [Subscription(200, 215)])
    #expect(other.subscriptions == [Subscription(200, 215)])
  }

  @Test("if the other sequence sends at once, nothing is forwarded")
  func atOnce() {
    let source = source()
    #expect(scheduler.start { source.take(until: Observable.just(9)) }.events == [.completed(200)])
    #expect(source.subscriptions == [Subscription(200, 200)])
  }

  @Test("the other sequence may send from inside an element of the source")
  func reentrant() {
    let (subject, stop) = (PublishSubject<Int>(), PublishSubject<Void>())
    let recorder = RecordingObserver<Int>()
    _ = subject.take(until: stop).subscribe { event in
      recorder.on(event)
      if event.element == 1 { stop.onNext(()) }
    }
    subject.onNext(1)
    subject.onNext(2)
    #expect(recorder.events == [.next(1), .completed])
    #expect(!subject.hasObservers && !stop.hasObservers)
  }

  @Test(
    "the first element that satisfies the predicate completes it, and is sent if inclusive",
    arguments: [TakeBehavior.exclusive, .inclusive])
  func predicate(behavior: TakeBehavior) {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .next(230, 3), .next(240, 1), .completed(250))
    var calls: [Int] = []
    let observer = scheduler.start {
      source.take(
        until: {
          calls.append($0); return $0 >= 3
        }, behavior: behavior)
    }
    let last: [Recorded<Event<Int>>] = behavior == .inclusive ? [.next(230, 3)] : []
    #expect(observer.events == [.next(210, 1), .next(220, 2)] + last + [.completed(230)])
    #expect(source.subscriptions == [Subscription(200, 230)])
    #expect(calls == [1, 2, 3])
  }

  @Test("with a predicate, the default behavior is exclusive")
  func defaultBehavior() {
    let recorder = RecordingObserver<Int>()
    _ = Observable.of(1, 2, 3).take(until: { $0 == 2 }).subscribe(recorder)
    #expect(recorder.events == [.next(1), .completed])
  }
}
