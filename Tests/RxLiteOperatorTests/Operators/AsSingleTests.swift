import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("asSingle and asMaybe")
struct AsSingleTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("asSingle and asMaybe send the only element on completion", arguments: [false, true])
  func one(isMaybe: Bool) {
    let source = scheduler.hot(.next(210, 1), .completed(220))
    let observer = scheduler.start { only(source, isMaybe) }
    #expect(observer.events == [.next(220, 1), .completed(220)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test("a second element is an error", arguments: [false, true])
  func many(isMaybe: Bool) {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .next(230, 3), .completed(240))
    let observer = scheduler.start { only(source, isMaybe) }
    #expect(observer.events == [.error(220, RxError.moreThanOneElement)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test("without an element a single fails and a maybe completes", arguments: [false, true])
  func none(isMaybe: Bool) {
    let source = scheduler.hot(.completed(220))
    let observer = scheduler.start { only(source, isMaybe) }
    #expect(observer.events == [isMaybe ? .completed(220) : .error(220, RxError.noElements)])
  }

  @Test("an error is forwarded, even after an element", arguments: [false, true], [false, true])
  func error(isMaybe: Bool, hasElement: Bool) {
    let source = scheduler.createHotObservable(
      (hasElement ? [.next(210, 1)] : []) + [.error(220, TestError.one)])
    #expect(scheduler.start { only(source, isMaybe) }.events == [.error(220, TestError.one)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test("nothing is sent until disposal, with or without an element", arguments: [false, true])
  func never(isMaybe: Bool) {
    let source = scheduler.hot(.next(210, 1))
    #expect(scheduler.start(disposed: 300) { only(source, isMaybe) }.events == [])
    #expect(source.subscriptions == [Subscription(200, 300)])
  }

  @Test("of elements sent at once, the second makes one error, for one retry", arguments: [false, true])
  func synchronous(isMaybe: Bool) {
    var attempts = 0
    let source = Observable<Int>.deferred {
      attempts += 1
      return Observable<Int>.never().startWith(1, 2, 3, 4)
    }
    let only = isMaybe ? source.asMaybe().asObservable() : source.asSingle().asObservable()
    let recorder = RecordingObserver<Int>()
    _ = only.retry(3).subscribe(recorder)
    #expect(attempts == 3)
    #expect(recorder.events == [.error(RxError.moreThanOneElement)])
  }

  private func only(_ source: TestableObservable<Int>, _ isMaybe: Bool) -> Observable<Int> {
    isMaybe ? source.asMaybe().asObservable() : source.asSingle().asObservable()
  }

  @Test("the first element is released before a second one fails the sequence", arguments: [false, true])
  func elementIsReleased(isMaybe: Bool) {
    let (subject, liveCount) = (PublishSubject<TrackedObject>(), TrackedObject.LiveCount())
    var living: [Int] = []
    func subscribe(_ sequence: Observable<TrackedObject>) {
      _ = sequence.subscribe(onError: { _ in living.append(liveCount.value) })
    }
    subscribe(isMaybe ? subject.asMaybe().asObservable() : subject.asSingle().asObservable())
    subject.onNext(TrackedObject(in: liveCount))
    subject.onNext(TrackedObject(in: liveCount))
    #expect(living == [1])
  }

  @Test("the element is released before an error of the source is forwarded", arguments: [false, true])
  func elementIsReleasedBeforeAnError(isMaybe: Bool) {
    let (subject, liveCount) = (PublishSubject<TrackedObject>(), TrackedObject.LiveCount())
    var living: [Int] = []
    let only = isMaybe ? subject.asMaybe().asObservable() : subject.asSingle().asObservable()
    _ = only.subscribe(onError: { _ in living.append(liveCount.value) })
    subject.onNext(TrackedObject(in: liveCount))
    #expect(liveCount.value == 1)
    subject.onError(TestError.one)
    #expect(living == [0])
  }
}
