import Dispatch
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("Single and its operators")
struct SingleOperatorsTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("only the first report counts, and the work is disposed with it")
  func create() {
    let log = Log()
    let single = Single<Int>.create { report in
      report(.success(1))
      report(.success(2))
      report(.failure(TestError.one))
      return Disposables.create { log.add("disposed") }
    }
    var events: [SingleEvent<Int>] = []
    _ = single.subscribe { (event: SingleEvent<Int>) in events.append(event) }
    #expect(events.count == 1)
    #expect(events.first.map { $0 == .success(1) } == true)
    #expect(log.lines == ["disposed"])
  }

  @Test("each way to end calls its closure, and the end of the subscription calls one more")
  func subscribeClosures() {
    let log = Log()
    for single in [Single.just(1), .error(TestError.one)] {
      _ = single.subscribe(
        onSuccess: { log.add("success \($0)") }, onFailure: { log.add("failure \($0)") },
        onDisposed: { log.add("disposed") })
    }
    Single<Int>.never().subscribe(onSuccess: { _ in }, onDisposed: { log.add("never disposed") }).dispose()
    #expect(log.lines == ["success 1", "disposed", "failure one", "disposed", "never disposed"])
  }

  @Test("the object of the closures is not kept alive")
  func subscribeWith() {
    let liveCount = TrackedObject.LiveCount()
    var object: TrackedObject? = TrackedObject(7, in: liveCount)
    let subject = PublishSubject<Int>()
    var values: [Int] = []
    let first = subject.first().subscribe(
      with: object!, onSuccess: { values.append($0.value + ($1 ?? 0)) })
    subject.onNext(1)
    let second = subject.first().subscribe(with: object!, onSuccess: { values.append($0.value + ($1 ?? 0)) })
    object = nil
    #expect(liveCount.value == 0)
    subject.onNext(2)
    #expect(values == [8])
    first.dispose()
    second.dispose()
  }

  @Test("neither the closure for the failure nor that for the disposal keeps the object alive")
  func objectOfAllClosures() {
    let (liveCount, source) = (TrackedObject.LiveCount(), PublishSubject<Int>())
    let subscription: any Disposable
    do {
      let object = TrackedObject(in: liveCount)
      subscription = source.asSingle().subscribe(
        with: object, onSuccess: { _, _ in }, onFailure: { _, _ in }, onDisposed: { _ in })
    }
    #expect(liveCount.value == 0)
    subscription.dispose()
  }

  @Test("it can be created on a scheduler, and by one")
  func scheduled() {
    #expect(
      scheduler.start { Single.just(1, scheduler: self.scheduler) }.events == [
        .next(201, 1), .completed(202),
      ])
    let other = TestScheduler(initialClock: 0)
    #expect(
      other.start { Single<Int>.timer(.seconds(30), scheduler: other) }.events == [
        .next(230, 0), .completed(230),
      ])
  }

  @Test("creation: element, error, nothing, deferred")
  func creation() {
    #expect(events { Single.just(1) } == [.next(200, 1), .completed(200)])
    #expect(events { Single<Int>.error(TestError.one) } == [.error(200, TestError.one)])
    #expect(events { Single<Int>.never() } == [])
    let deferred = Single<Int>.deferred { throw TestError.two }
    #expect(events { deferred } == [.error(200, TestError.two)])
  }

  @Test("map, flatMap, flatMapMaybe, flatMapCompletable, filter, compactMap")
  func transforming() {
    #expect(events { Single.just(1).map { $0 + 1 } } == [.next(200, 2), .completed(200)])
    #expect(events { Single.just(1).flatMap { .just($0 + 1) } } == [.next(200, 2), .completed(200)])
    #expect(events { Single.just(1).flatMapMaybe { _ in Maybe<Int>.empty() } } == [.completed(200)])
    #expect(
      events { Single.just(1).flatMapCompletable { _ in .empty() }.andThen(Single.just(5)) } == [
        .next(200, 5), .completed(200),
      ])
    #expect(events { Single.just(1).filter { $0 > 1 } } == [.completed(200)])
    #expect(events { Single.just(1).filter { $0 == 1 } } == [.next(200, 1), .completed(200)])
    #expect(events { Single.just("x").compactMap { Int($0) } } == [.completed(200)])
    #expect(events { Single.just("3").compactMap { Int($0) } } == [.next(200, 3), .completed(200)])
  }

  @Test("an error that a closure throws is the error of the single", arguments: 0..<6)
  func throwing(index: Int) {
    let source = Single.just(1)
    func fail<Result>(_: Int) throws -> Result { throw TestError.two }
    let sequences: [Observable<Int>] = [
      source.map(fail).asObservable(), source.flatMap { try fail($0) as Single<Int> }.asObservable(),
      source.flatMapMaybe { try fail($0) as Maybe<Int> }.asObservable(),
      source.flatMapCompletable { try fail($0) }.andThen(Observable.just(1)),
      source.filter(fail).asObservable(), source.do(onSuccess: fail).asObservable(),
    ]
    #expect(events { sequences[index] } == [.error(200, TestError.two)])
  }

  @Test("errors: catch, catchAndReturn, retry")
  func errors() {
    let failing = scheduler.cold(.error(10, TestError.one)).asSingle()
    #expect(
      scheduler.start { failing.catchAndReturn(9) }.events == [.next(210, 9), .completed(210)])
    let other = TestScheduler(initialClock: 0)
    let source = other.cold(.error(10, TestError.one))
    #expect(
      other.start { source.asSingle().retry(2).catch { _ in .just(3) } }.events == [
        .next(220, 3), .completed(220),
      ])
    #expect(source.subscriptions == [Subscription(200, 210), Subscription(210, 220)])
  }

  @Test("retry(when:) subscribes again when its notifier emits")
  func retryWhen() {
    let source = scheduler.cold(.error(10, TestError.one))
    let observer = scheduler.start {
      source.asSingle().retry { (errors: Observable<any Error>) in errors.take(2) }
    }
    // The notifier completes after its second element, which takes effect at the third error.
    #expect(observer.events == [.completed(230)])
    #expect(
      source.subscriptions == [Subscription(200, 210), Subscription(210, 220), Subscription(220, 230)])
  }

  @Test("retry(when:) with a notifier for one type of error forwards an error of another type")
  func retryWhenOfOneType() {
    let source = scheduler.cold(.error(10, TestError.one))
    let observer = scheduler.start { source.asSingle().retry { (errors: Observable<RxError>) in errors } }
    #expect(observer.events == [.error(210, TestError.one)])
  }

  @Test("time: delay, delaySubscription, timeout, observe(on:), subscribe(on:)")
  func time() {
    let source = scheduler.cold(.next(10, 1), .completed(10))
    let single = source.asSingle()
    var results: [TestableObserver<Int>] = []
    let sequences: [Single<Int>] = [
      single.delay(.seconds(5), scheduler: scheduler),
      single.delaySubscription(.seconds(5), scheduler: scheduler),
      single.timeout(.seconds(5), scheduler: scheduler),
      single.timeout(.seconds(5), other: .just(8), scheduler: scheduler),
      single.observe(on: scheduler), single.subscribe(on: scheduler),
    ]
    for sequence in sequences {
      let observer = scheduler.createObserver(Int.self)
      results.append(observer)
      scheduler.scheduleAt(200) { _ = sequence.asObservable().subscribe(observer) }
    }
    scheduler.start()
    #expect(
      results.map(\.events) == [
        [.next(215, 1), .completed(216)], [.next(215, 1), .completed(215)],
        [.error(205, RxError.timeout)], [.next(205, 8), .completed(205)],
        [.next(211, 1), .completed(212)], [.next(211, 1), .completed(211)],
      ])
  }

  @Test(
    "take(until:) completes without the element if the other sequence is first", arguments: [false, true])
  func until(isOlderName: Bool) {
    let source = scheduler.cold(.next(30, 1), .completed(30))
    let triggers = [scheduler.hot(.next(220, 0)), scheduler.hot(.next(240, 0))]
    let observers = triggers.map { _ in scheduler.createObserver(Int.self) }
    for (index, trigger) in triggers.enumerated() {
      let single = source.asSingle()
      let limited = isOlderName ? single.takeUntil(trigger) : single.take(until: trigger)
      scheduler.scheduleAt(200) { _ = limited.subscribe(observers[index]) }
    }
    scheduler.start()
    #expect(observers.map(\.events) == [[.completed(220)], [.next(230, 1), .completed(230)]])
    #expect(source.subscriptions == [Subscription(200, 220), Subscription(200, 230)])
  }

  @Test("retry without a limit subscribes until the single succeeds")
  func retriesWithoutLimit() {
    var attempts = 0
    let flaky = Single<Int>.deferred {
      attempts += 1
      return attempts < 20 ? .error(TestError.one) : .just(attempts)
    }
    #expect(events { flaky.retry() } == [.next(200, 20), .completed(200)])
  }

  @Test("do calls a closure for every event, in order")
  func doForms() {
    let log = Log()
    let single = Single.just(1).do(
      onSuccess: { log.add("on \($0)") }, afterSuccess: { log.add("after \($0)") },
      onSubscribe: { log.add("subscribe") }, onSubscribed: { log.add("subscribed") },
      onDispose: { log.add("dispose") })
    _ = single.subscribe(onSuccess: { log.add("success \($0)") })
    #expect(log.lines == ["subscribe", "on 1", "success 1", "after 1", "subscribed", "dispose"])
  }

  @Test("using disposes the resource after the sequence")
  func using() {
    let log = Log()
    let single = Single<Int>.using {
      CompositeDisposable(Disposables.create { log.add("resource disposed") }, Disposables.create())
    } primitiveSequenceFactory: { _ in
      Single.just(1).do(onDispose: { log.add("single disposed") })
    }
    _ = single.subscribe(onSuccess: { log.add("success \($0)") })
    #expect(log.lines == ["success 1", "single disposed", "resource disposed"])
  }

  @Test("a single is converted to the other traits")
  func conversions() {
    #expect(events { Single.just(1).asMaybe() } == [.next(200, 1), .completed(200)])
    #expect(events { Single.just(1).asSingle() } == [.next(200, 1), .completed(200)])
    var ended: [CompletableEvent] = []
    _ = Single.just(1).asCompletable().subscribe { (event: CompletableEvent) in ended.append(event) }
    _ = Single<Int>.error(TestError.one).asCompletable().subscribe { (event: CompletableEvent) in
      ended.append(event)
    }
    #expect(ended == [.completed, .error(TestError.one)])
  }

  @Test("do calls its closures before and after an error is delivered")
  func doError() {
    let log = Log()
    _ = Single<Int>.error(TestError.one).do(
      onError: { log.add("on \($0)") }, afterError: { log.add("after \($0)") }
    ).subscribe(onFailure: { log.add("\($0)") })
    #expect(log.lines == ["on one", "one", "after one"])
  }

  private func events<Source: ObservableConvertibleType>(
    _ create: @escaping () -> Source
  ) -> [Recorded<Event<Int>>] where Source.Element == Int {
    TestScheduler(initialClock: 0).start(create).events
  }
}
