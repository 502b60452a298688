import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

/// A subscriber of a single or a maybe is notified only of the first event, and of the end of its
/// subscription.
@Suite("The end of a trait at its first event", .timeLimit(.minutes(5)))
struct TraitTerminationTests {
  private let log = Log()

  @Test("a single's subscription ends before the upstream events that follow the element")
  func order() {
    _ = Single.just(1)
      .do(
        onSuccess: { [log] _ in log.add("onSuccess") }, afterSuccess: { [log] _ in log.add("afterSuccess") },
        onDispose: { [log] in log.add("onDispose") }
      )
      .subscribe(
        onSuccess: { [log] in log.add("success \($0)") }, onDisposed: { [log] in log.add("onDisposed") })
    #expect(log.lines == ["onSuccess", "success 1", "onDisposed", "afterSuccess", "onDispose"])
  }

  @Test("a maybe's subscription ends before the upstream events that follow the element")
  func maybeOrder() {
    _ = Maybe.just(1)
      .do(
        onNext: { [log] _ in log.add("onNext") }, afterNext: { [log] _ in log.add("afterNext") },
        onCompleted: { [log] in log.add("onCompleted") }, onDispose: { [log] in log.add("onDispose") }
      )
      .subscribe(
        onSuccess: { [log] in log.add("success \($0)") }, onCompleted: { [log] in log.add("completed") },
        onDisposed: { [log] in log.add("onDisposed") })
    #expect(log.lines == ["onNext", "success 1", "onDisposed", "afterNext", "onCompleted", "onDispose"])
  }

  @Test("an error after the element is ignored")
  func lateError() {
    let late = Single.just(1).do(afterSuccess: { _ in throw TestError.one })
    _ = late.subscribe(
      onSuccess: { [log] in log.add("success \($0)") }, onFailure: { [log] in log.add("failure \($0)") },
      onDisposed: { [log] in log.add("onDisposed") })
    _ = late.subscribe { [log] event in log.add("\(event)") }
    _ = late.asMaybe().subscribe { [log] event in log.add("\(event)") }
    #expect(log.lines == ["success 1", "onDisposed", "success(1)", "success(1)"])
  }

  @Test("an element of a retry after the first element is ignored")
  func secondElement() {
    let twice = Single.just(1).do(afterSuccess: { _ in throw TestError.one }).retry(2)
    _ = twice.subscribe(
      onSuccess: { [log] in log.add("success \($0)") }, onDisposed: { [log] in log.add("onDisposed") })
    _ = twice.asMaybe().subscribe { [log] event in log.add("\(event)") }
    #expect(log.lines == ["success 1", "onDisposed", "success(1)"])
  }

  @Test("the source of a single may end later than its element, without another notification")
  func lateEnd() {
    let scheduler = TestScheduler(initialClock: 0)
    _ = Single.just(1, scheduler: scheduler)
      .do(onDispose: { [log] in log.add("onDispose at \(scheduler.clock)") })
      .subscribe(
        onSuccess: { [log] in log.add("success \($0) at \(scheduler.clock)") },
        onDisposed: { [log] in log.add("onDisposed at \(scheduler.clock)") })
    scheduler.start()
    #expect(log.lines == ["success 1 at 1", "onDisposed at 1", "onDispose at 2"])
  }

  @Test("disposal before the element calls only onDisposed, disposal after it calls nothing")
  func disposed() {
    for isEarly in [true, false] {
      let subject = PublishSubject<Int>()
      let single = subject.take(1).concat(Observable<Int>.never()).asSingle()
      let subscription = Single<Int>.create { observer in
        if !isEarly { observer(.success(5)) }
        return single.subscribe()
      }.subscribe(
        onSuccess: { [log] in log.add("success \($0)") }, onDisposed: { [log] in log.add("onDisposed") })
      subscription.dispose()
      subscription.dispose()
    }
    #expect(log.lines == ["onDisposed", "success 5", "onDisposed"])
  }

  @Test("first() is the element or nil, and a completable is a maybe without an element")
  func first() throws {
    #expect(try Single.just(1).first().toBlocking().toArray() == [1])
    #expect(try Maybe.just(1).first().toBlocking().toArray() == [1])
    #expect(try Maybe<Int>.empty().first().toBlocking().toArray() == [nil])
    #expect(try Completable.empty().asMaybe().toBlocking().toArray().isEmpty)
    #expect(throws: TestError.one) { try Completable.error(TestError.one).asMaybe().toBlocking().toArray() }
  }

  @Test("the closures are released after the element, before the end of the source")
  func releaseAfterElement() {
    let (liveCount, scheduler) = (TrackedObject.LiveCount(), TestScheduler(initialClock: 0))
    // Sends its element at 1 and completes at 2.
    let subscription = subscribeHoldingObjects(Single.just(1, scheduler: scheduler), in: liveCount)
    #expect(liveCount.value == 3)
    scheduler.advanceTo(1)
    #expect(liveCount.value == 0)
    subscription.dispose()
  }

  @Test("the closures are released with the disposal, although the subscription is kept")
  func releaseAfterDisposal() {
    let liveCount = TrackedObject.LiveCount()
    let subscription = subscribeHoldingObjects(Single<Int>.never(), in: liveCount)
    subscription.dispose()
    #expect(liveCount.value == 0)
    withExtendedLifetime(subscription) {}
  }

  /// A subscription whose closures each hold an object.
  private func subscribeHoldingObjects(_ single: Single<Int>, in liveCount: TrackedObject.LiveCount)
    -> any Disposable
  {
    let held = (0..<3).map { TrackedObject($0, in: liveCount) }
    return single.subscribe(
      onSuccess: { [first = held[0]] _ in _ = first }, onFailure: { [second = held[1]] _ in _ = second },
      onDisposed: { [third = held[2]] in _ = third })
  }
}
