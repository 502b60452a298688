import Dispatch
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("retry(when:)")
struct RetryWhenTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("the source is subscribed to again when the notifier sends, and not before")
  func waits() {
    let source = scheduler.cold(.next(10, 1), .error(20, TestError.one))
    let notifier = scheduler.hot(.next(250, 0), .next(350, 0), .completed(400))
    let observer = scheduler.start {
      source.retry { (errors: Observable<any Error>) in errors.flatMapLatest { _ in notifier.take(1) } }
    }
    #expect(observer.events == [.next(210, 1), .next(260, 1), .next(360, 1)])
    #expect(source.subscriptions == [Subscription(200, 220), Subscription(250, 270), Subscription(350, 370)])
  }

  @Test("a notifier that ended while the source ran ends the sequence at the next error")
  func notifierEnds() {
    let source = scheduler.cold(.next(10, 1), .error(20, TestError.one))
    let observer = scheduler.start {
      source.retry { (errors: Observable<any Error>) in errors.take(2) }
    }
    #expect(observer.events == [.next(210, 1), .next(230, 1), .next(250, 1), .completed(260)])
    #expect(
      source.subscriptions == [Subscription(200, 220), Subscription(220, 240), Subscription(240, 260)])
  }

  @Test("a notifier that ends before the next attempt could start ends the sequence at once")
  func notifierEndsDuringSubscription() {
    let source = Observable<Int>.create { observer in
      observer.onNext(1)
      observer.onError(TestError.one)
      return Disposables.create()
    }
    let recorder = RecordingObserver<Int>()
    _ = source.retry { (errors: Observable<any Error>) in errors.take(2) }.subscribe(recorder)
    #expect(recorder.events == [.next(1), .next(1), .completed])
  }

  @Test(
    "a notifier that is empty, or fails at once, takes effect at the first error", arguments: [false, true])
  func notifierEndsFirst(isError: Bool) {
    let source = scheduler.cold(.next(10, 1), .error(20, TestError.one))
    let observer = scheduler.start {
      source.retry { (_: Observable<any Error>) in
        isError ? Observable<Int>.error(TestError.two) : Observable<Int>.empty()
      }
    }
    #expect(
      observer.events == [.next(210, 1), isError ? .error(220, TestError.two) : .completed(220)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test("elements of the notifier while the source runs start no attempt")
  func notifierIsEarly() {
    let source = scheduler.cold(.next(30, 1), .error(60, TestError.one))
    let notifier = scheduler.hot(.next(210, 0), .next(240, 0), .next(300, 0), .error(320, TestError.two))
    let observer = scheduler.start { source.retry { (_: Observable<any Error>) in notifier } }
    #expect(observer.events == [.next(230, 1), .next(330, 1), .error(360, TestError.two)])
    #expect(source.subscriptions == [Subscription(200, 260), Subscription(300, 360)])
    #expect(notifier.subscriptions == [Subscription(200, 320)])
  }

  @Test("a notifier that answers at once receives the errors of a subscription before that returns")
  func answersDuringSubscription() {
    let log = Log()
    var attempts = 0
    _ = Observable<Int>.deferred {
      attempts += 1
      return attempts < 3 ? .error(TestError.one) : .just(attempts)
    }
    .retry { (errors: Observable<any Error>) in errors.do(onNext: { _ in log.add("error") }) }
    .do(onNext: { log.add("\($0)") }, onSubscribed: { log.add("subscribed") })
    .subscribe()
    #expect(log.lines == ["error", "error", "3", "subscribed"])
  }

  /// A notifier that sends two elements at once.
  private let twice = Observable<Int>.create { observer in
    observer.onNext(1)
    observer.onNext(2)
    return Disposables.create()
  }

  @Test("two elements of the notifier start one attempt if the source fails at once")
  func twoElements() {
    var attempts = 0
    let source = Observable<Int>.deferred {
      attempts += 1
      return .error(TestError.one)
    }
    let recorder = RecordingObserver<Int>()
    let subscription = source.retry { (errors: Observable<any Error>) in
      errors.enumerated().flatMap { index, _ in index == 0 ? twice : .never() }
    }.subscribe(recorder)
    #expect(attempts == 2)
    #expect(recorder.events == [])
    subscription.dispose()
  }

  @Test(
    "each element that the notifier sends step by step starts an attempt if all fail at once",
    arguments: 1...3)
  func steps(count: Int) {
    var attempts = 0
    let source = Observable<Int>.deferred {
      attempts += 1
      return .error(TestError.one)
    }
    let recorder = RecordingObserver<Int>()
    _ = source.retry { (errors: Observable<any Error>) in
      errors.take(count).flatMap { _ in Observable.of(1, 2, 3) }
    }.subscribe(recorder)
    #expect(attempts == 3 * count + 1)
    #expect(recorder.events == [.completed])
  }

  @Test("an element that the notifier sends after an error in a later step counts for that error")
  func stepsOfBoth() {
    var attempts = 0
    let source = Observable<Int>.deferred {
      attempts += 1
      return Observable.of(1, 2).map { if $0 == 2 { throw TestError.one } else { $0 } }
    }
    let recorder = RecordingObserver<Int>()
    _ = source.retry { (errors: Observable<any Error>) in
      errors.enumerated().flatMap { index, _ in index == 0 ? Observable.of(1, 2, 3) : .never() }
    }.subscribe(recorder)
    #expect(attempts == 3)
    #expect(recorder.events == [.next(1), .next(1), .next(1)])
  }

  @Test("an endless notifier does not keep the next attempt from failing")
  func endlessNotifier() {
    var attempts = 0
    let recorder = RecordingObserver<Int>()
    _ = Observable<Int>.deferred {
      attempts += 1
      return attempts < 4 ? .error(TestError.one) : .just(attempts)
    }
    .retry { (errors: Observable<any Error>) in errors.flatMap { _ in Observable.repeatElement(0) } }
    .subscribe(recorder)
    #expect(recorder.events == [.next(4), .completed])
  }

  @Test("many attempts that fail at once do not grow the stack")
  func manySteps() {
    var attempts = 0
    onSmallStack {
      _ = Observable<Int>.deferred {
        attempts += 1
        return .error(TestError.one)
      }
      .retry { (errors: Observable<any Error>) in
        errors.take(manyRounds).flatMap { _ in Observable.of(1, 2) }
      }
      .subscribe()
    }
    #expect(attempts == 2 * manyRounds + 1)
  }

  @Test("the second element for an error does not count for the next error, which comes at once")
  func secondElementIsLate() {
    var attempts = 0
    let late = scheduler.cold(.error(20, TestError.one))
    _ = scheduler.start {
      Observable<Int>.deferred {
        attempts += 1
        return attempts == 1 ? late.asObservable() : .error(TestError.one)
      }
      .retry { (errors: Observable<any Error>) in
        errors.enumerated().flatMap { index, _ in index == 0 ? twice : .never() }
      }
    }
    #expect(attempts == 2)
    #expect(late.subscriptions == [Subscription(200, 220)])
  }

  @Test("an element after the one that starts an attempt does not replace the running attempt")
  func runningAttemptStays() {
    let running = scheduler.cold(.next(10, 1), .completed(20))
    var attempts = 0
    let observer = scheduler.start {
      Observable<Int>.deferred {
        attempts += 1
        return attempts == 1 ? .error(TestError.one) : running.asObservable()
      }
      .retry { (errors: Observable<any Error>) in errors.flatMap { _ in twice } }
    }
    #expect(attempts == 2)
    #expect(observer.events == [.next(210, 1), .completed(220)])
    #expect(running.subscriptions == [Subscription(200, 220)])
  }

  @Test("a notifier that fails after an element, before the attempt could start, fails the sequence at once")
  func notifierFailsDuringSubscription() {
    var attempts = 0
    let source = Observable<Int>.deferred {
      attempts += 1
      return .error(TestError.one)
    }
    let recorder = RecordingObserver<Int>()
    _ = source.retry { (errors: Observable<any Error>) in
      errors.flatMap { _ in Observable.just(0).concat(Observable.error(TestError.two)) }
    }.subscribe(recorder)
    #expect(attempts == 1)
    #expect(recorder.events == [.error(TestError.two)])
  }

  @Test("completion of the notifier during a pause completes the sequence at once")
  func notifierEndsWhileWaiting() {
    let source = scheduler.cold(.error(20, TestError.one))
    let notifier = scheduler.hot(.completed(300))
    let observer = scheduler.start { source.retry { (_: Observable<any Error>) in notifier } }
    #expect(observer.events == [.completed(300)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test("the failed source is disposed before the notifier receives the error, and the notifier last")
  func order() {
    let log = Log()
    let source = PublishSubject<Int>()
    let subscription = source.do(onDispose: { log.add("source") })
      .retry { (errors: Observable<any Error>) in
        errors.do(onNext: { _ in log.add("error") }, onDispose: { log.add("notifier") })
          .flatMap { _ in Observable<Int>.never() }
      }
      .subscribe()
    source.onError(TestError.one)
    subscription.dispose()
    #expect(log.lines == ["source", "error", "notifier"])
  }

  @Test("it fails when the notifier fails")
  func notifierFails() {
    let source = scheduler.cold(.next(10, 1), .error(20, TestError.one))
    let observer = scheduler.start {
      source.retry { (errors: Observable<any Error>) in
        errors.flatMap { _ in Observable<Int>.error(TestError.two) }
      }
    }
    #expect(observer.events == [.next(210, 1), .error(220, TestError.two)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test("the notifier receives each error")
  func errors() {
    let log = Log()
    var attempts = 0
    let source = Observable<Int>.deferred {
      attempts += 1
      return attempts < 4 ? .error(attempts == 2 ? TestError.two : TestError.one) : .just(attempts)
    }
    let recorder = RecordingObserver<Int>()
    _ = source.retry { (errors: Observable<TestError>) in errors.do(onNext: { log.add("\($0)") }) }
      .subscribe(recorder)
    #expect(log.lines == ["one", "two", "one"])
    #expect(recorder.events == [.next(4), .completed])
  }

  @Test("an error of a type that the notifier does not accept ends the sequence")
  func otherType() {
    struct Other: Error {}
    let source = scheduler.cold(.error(20, TestError.one))
    let observer = scheduler.start { source.retry { (errors: Observable<Other>) in errors } }
    #expect(observer.events == [.error(220, TestError.one)])
  }

  @Test("disposal during a pause disposes the notifier")
  func disposed() {
    let source = scheduler.cold(.error(20, TestError.one))
    let notifier = scheduler.hot(.next(500, 0))
    let observer = scheduler.start(disposed: 300) {
      source.retry { (errors: Observable<any Error>) in errors.flatMap { _ in notifier } }
    }
    #expect(observer.events == [])
    #expect(source.subscriptions == [Subscription(200, 220)])
    #expect(notifier.subscriptions == [Subscription(220, 300)])
  }

  enum LateFailure: CaseIterable, Sendable {
    case timeout, create, throwingMap, single, concat, rethrowingCatch, delaySubscription, subscribeOn

    /// Returns a sequence that fails some time after its subscription.
    func sequence(_ scheduler: TestScheduler) -> Observable<Int> {
      let later = Observable<Int>.timer(.seconds(5), scheduler: scheduler)
      let failing = Observable<Int>.create { observer in
        observer.onError(TestError.one)
        return Disposables.create()
      }
      return switch self {
      case .timeout: Observable.never().timeout(.seconds(5), scheduler: scheduler)
      case .create: later.flatMap { _ in failing }
      case .throwingMap: later.flatMap { Observable.just($0).map { _ in throw TestError.one } }
      case .single: later.asSingle().flatMap { _ in Single<Int>.error(TestError.one) }.asObservable()
      case .concat: later.concat(failing).filter { _ in false }
      case .rethrowingCatch: later.map { _ in throw TestError.two }.catch { _ in failing }
      case .delaySubscription: failing.delaySubscription(.seconds(5), scheduler: scheduler)
      case .subscribeOn: failing.subscribe(on: scheduler)
      }
    }
  }

  @Test(
    "errors.take(2) allows two more attempts if the source fails after its subscription",
    arguments: LateFailure.allCases)
  func lateFailure(failure: LateFailure) {
    var attempts = 0
    let observer = scheduler.start {
      Observable<Int>.deferred {
        attempts += 1
        return failure.sequence(scheduler)
      }
      .retry { (errors: Observable<any Error>) in errors.take(2) }
    }
    #expect(attempts == 3)
    #expect(observer.events.map(\.value) == [.completed])
  }

  @Test("an attempt that fails during its subscription, after an earlier one failed later, is the last")
  func failsAtOnceAfterFailingLater() {
    let subject = ReplaySubject<Int>.create(bufferSize: 1)
    subject.onNext(5)
    let recorder = RecordingObserver<Int>()
    _ = subject.retry { (errors: Observable<any Error>) in errors.take(2) }.subscribe(recorder)
    subject.onError(TestError.one)
    #expect(recorder.events == [.next(5), .next(5), .completed])
  }
}
