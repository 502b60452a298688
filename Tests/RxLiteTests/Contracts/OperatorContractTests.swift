import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

/// The contract of every operator: it forwards the end, the error and the disposal at once and exactly once.
@Suite("The contract of all operators")
struct OperatorContractTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("an empty source ends the sequence at once", arguments: IdentityOperator.all)
  func empty(row: IdentityOperator) {
    let source = scheduler.hot(.next(150, 1), .completed(250))
    #expect(scheduler.start { row(source) }.events == [.completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
  }

  @Test("a silent source stays subscribed until disposal", arguments: IdentityOperator.all)
  func never(row: IdentityOperator) {
    let source = scheduler.hot(.next(150, 1))
    #expect(scheduler.start { row(source) }.events == [])
    #expect(source.subscriptions == [Subscription(200, 1000)])
  }

  @Test("elements and completion are forwarded when they arrive", arguments: IdentityOperator.all)
  func many(row: IdentityOperator) {
    let source = scheduler.hot(
      .next(150, 1), .next(210, 2), .next(220, 3), .next(230, 3), .completed(250))
    let observer = scheduler.start { row(source) }
    #expect(observer.events == [.next(210, 2), .next(220, 3), .next(230, 3), .completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
  }

  @Test(
    "an error is forwarded when it arrives, first or midway", arguments: IdentityOperator.all, [false, true])
  func error(row: IdentityOperator, isMidway: Bool) {
    let source =
      isMidway
      ? scheduler.hot(.next(210, 2), .error(220, TestError.one), .next(230, 3))
      : scheduler.hot(.error(220, TestError.one), .next(230, 3))
    let observer = scheduler.start { row(source) }
    #expect(observer.events == (isMidway ? [.next(210, 2)] : []) + [.error(220, TestError.one)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test("disposal midway ends the source's subscription at once", arguments: IdentityOperator.all)
  func disposed(row: IdentityOperator) {
    let source = scheduler.hot(.next(210, 2), .next(220, 3), .next(230, 4), .completed(250))
    #expect(scheduler.start(disposed: 225) { row(source) }.events == [.next(210, 2), .next(220, 3)])
    #expect(source.subscriptions == [Subscription(200, 225)])
  }

  @Test("disposal from inside an element stops all further events", arguments: IdentityOperator.all)
  func disposedInside(row: IdentityOperator) {
    let source = scheduler.hot(.next(210, 2), .next(220, 3), .error(230, TestError.one))
    let observer = scheduler.createObserver(Int.self)
    let subscription = SingleAssignmentDisposable()
    scheduler.scheduleAt(200) {
      subscription.setDisposable(
        row(source).subscribe { event in
          observer.on(event)
          subscription.dispose()
        })
    }
    scheduler.start()
    #expect(observer.events == [.next(210, 2)])
    #expect(source.subscriptions == [Subscription(200, 210)])
  }

  @Test("nothing is delivered after the end, even if the source continues", arguments: IdentityOperator.all)
  func afterTheEnd(row: IdentityOperator) {
    let source = scheduler.hot(
      .next(210, 2), .completed(220), .next(230, 3), .error(240, TestError.one), .completed(250))
    #expect(scheduler.start { row(source) }.events == [.next(210, 2), .completed(220)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test("subscriptions are independent, including late ones", arguments: IdentityOperator.all)
  func lateSubscriber(row: IdentityOperator) {
    let source = scheduler.hot(.next(210, 2), .next(220, 3), .next(230, 4), .completed(240))
    let sequence = row(source)
    let (early, late) = (scheduler.createObserver(Int.self), scheduler.createObserver(Int.self))
    scheduler.scheduleAt(200) { _ = sequence.subscribe(early) }
    scheduler.scheduleAt(225) { _ = sequence.subscribe(late) }
    scheduler.start()
    #expect(early.events == [.next(210, 2), .next(220, 3), .next(230, 4), .completed(240)])
    // A replaying sequence sends a late subscriber the events it has missed.
    let missed: [Recorded<Event<Int>>] = row.testDescription == "share(replay:)" ? [.next(225, 3)] : []
    #expect(late.events == missed + [.next(230, 4), .completed(240)])
  }

  @Test(
    "an element sent during the delivery of another is delivered after it", arguments: IdentityOperator.all)
  func reentrantNext(row: IdentityOperator) {
    let subject = PublishSubject<Int>()
    let recorder = RecordingObserver<Int>()
    let subscription = row(subject).subscribe { event in
      if let element = event.element, element < 3 { subject.onNext(element + 1) }
      recorder.on(event)
    }
    subject.onNext(1)
    subject.onCompleted()
    subscription.dispose()
    #expect(recorder.events == [.next(1), .next(2), .next(3), .completed])
  }

  @Test("an error that a closure throws ends the sequence", arguments: IdentityOperator.withClosure)
  func throwing(row: IdentityOperator) {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .next(230, 3), .next(240, 4), .completed(250))
    var calls: [Int] = []
    let observer = scheduler.start {
      row.apply(source.asObservable()) { element in
        calls.append(element)
        if element == 3 { throw TestError.one }
      }
    }
    #expect(observer.events == [.next(210, 1), .next(220, 2), .error(230, TestError.one)])
    #expect(source.subscriptions == [Subscription(200, 230)])
    #expect(calls == [1, 2, 3])
  }

  @Test(
    "nothing follows an error that a closure throws, although the source continues",
    arguments: IdentityOperator.withClosure)
  func throwingSynchronously(row: IdentityOperator) {
    let watched = RecordingObserver<Int>()
    var calls = 0
    let source = Observable<Int>.create { observer in
      for element in 1...3 { observer.onNext(element) }
      observer.onCompleted()
      return Disposables.create()
    }
    let sequence = row.apply(source) { _ in
      calls += 1
      throw TestError.one
    }
    _ = sequence.do(
      onNext: { watched.onNext($0) }, onError: { watched.onError($0) },
      onCompleted: { watched.onCompleted() }
    )
    .subscribe { _ in }
    #expect(watched.events == [.error(TestError.one)])
    #expect(calls == 1)
  }

  @Test(
    "an error that a closure throws causes one retry, although the source continues",
    arguments: IdentityOperator.withClosure)
  func retriedOnce(row: IdentityOperator) {
    var attempts = 0
    let source = Observable<Int>.deferred {
      attempts += 1
      return Observable<Int>.never().startWith(1, 2, 3)
    }
    let recorder = RecordingObserver<Int>()
    _ = row.apply(source) { _ in if attempts == 1 { throw TestError.one } }.retry(10).subscribe(recorder)
    #expect(attempts == 2)
    #expect(recorder.elements.filter { $0 == 3 }.count == 1)
  }
}
