import Dispatch
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("do")
struct DoTests {
  enum End: CaseIterable, Sendable { case completed, error, disposed }

  @Test("each closure is called in its place", arguments: End.allCases)
  func order(end: End) {
    let log = Log()
    let subject = PublishSubject<Int>()
    let subscription = Observable.create { observer in
      log.add("source subscribed")
      return Disposables.create(
        subject.subscribe(observer), Disposables.create(with: { log.add("source disposed") }))
    }
    .do(
      onNext: { log.add("onNext \($0)") }, afterNext: { log.add("afterNext \($0)") },
      onError: { log.add("onError \($0)") }, afterError: { log.add("afterError \($0)") },
      onCompleted: { log.add("onCompleted") }, afterCompleted: { log.add("afterCompleted") },
      onSubscribe: { log.add("onSubscribe") }, onSubscribed: { log.add("onSubscribed") },
      onDispose: { log.add("onDispose") }
    )
    .subscribe { log.add("\($0)") }
    subject.onNext(1)
    switch end {
    case .completed: subject.onCompleted()
    case .error: subject.onError(TestError.one)
    case .disposed: subscription.dispose()
    }
    let start = ["onSubscribe", "source subscribed", "onSubscribed", "onNext 1", "next(1)", "afterNext 1"]
    #expect(Array(log.lines.prefix(start.count)) == start)
    let rest = Array(log.lines.dropFirst(start.count))
    switch end {
    case .completed:
      #expect(rest == ["onCompleted", "completed", "source disposed", "onDispose", "afterCompleted"])
    case .error:
      #expect(rest == ["onError one", "error(one)", "source disposed", "onDispose", "afterError one"])
    case .disposed:
      #expect(rest == ["source disposed", "onDispose"])
    }
  }

  @Test("an error that onError throws replaces the first one")
  func onErrorThrows() {
    let recorder = RecordingObserver<Int>()
    _ = Observable<Int>.error(TestError.one).do(onError: { _ in throw TestError.two }).subscribe(recorder)
    #expect(recorder.events == [.error(TestError.two)])
  }

  @Test("an error that onCompleted throws replaces completion")
  func onCompletedThrows() {
    let recorder = RecordingObserver<Int>()
    _ = Observable.just(1).do(onCompleted: { throw TestError.two }).subscribe(recorder)
    #expect(recorder.events == [.next(1), .error(TestError.two)])
  }

  @Test("an error that afterNext throws follows the element")
  func afterNextThrows() {
    let recorder = RecordingObserver<Int>()
    _ = Observable.of(1, 2).do(afterNext: { _ in throw TestError.two }).subscribe(recorder)
    #expect(recorder.events == [.next(1), .error(TestError.two)])
  }

  @Test("an error that afterCompleted throws is ignored")
  func afterCompletedThrows() {
    let recorder = RecordingObserver<Int>()
    _ = Observable.just(1).do(afterCompleted: { throw TestError.two }).concat(Observable.just(2)).subscribe(
      recorder)
    #expect(recorder.events == [.next(1), .next(2), .completed])
  }

  @Test("onDispose is called once")
  func disposedOnce() {
    let log = Log()
    let subscription = Observable.just(1).do(onDispose: { log.add("onDispose") }).subscribe()
    subscription.dispose()
    #expect(log.lines == ["onDispose"])
  }

  @Test("the end of the sequence ends the subscription although an operator holds it back")
  func heldBack() {
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.hot(.next(210, 1), .completed(220))
    var disposals: [TestTime] = []
    let observer = scheduler.start {
      source.do(onDispose: { disposals.append(scheduler.clock) }).observe(on: scheduler)
    }
    #expect(observer.events == [.next(211, 1), .completed(221)])
    #expect(disposals == [220])
  }

  @Test("a sequence that ends during its subscription is disposed before the next one is subscribed to")
  func endsAtOnce() {
    let log = Log()
    _ = Observable<Int>.error(TestError.one)
      .do(onSubscribe: { log.add("+inner") }, onDispose: { log.add("-inner") })
      .map { $0 }
      .do(onSubscribed: { log.add("+outer") }, onDispose: { log.add("-outer") })
      .subscribe(onError: { _ in log.add("error") })
    #expect(log.lines == ["+inner", "error", "-inner", "+outer", "-outer"])
  }

  @Test("the failed attempt is disposed before the next one, although afterError is called later")
  func afterErrorOfAttempts() {
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.cold(.next(5, 1))
    let observer = scheduler.start {
      source.share().map { _ -> Int in throw TestError.one }.do(afterError: { _ in }).retry(2)
    }
    #expect(observer.events == [.error(210, TestError.one)])
    #expect(source.subscriptions == [Subscription(200, 205), Subscription(205, 210)])
  }

  @Test("the resource of a failed attempt is released before the next one is created")
  func afterErrorOfResources() {
    let (log, scheduler) = (Log(), TestScheduler(initialClock: 0))
    let source = scheduler.cold(.error(5, TestError.one))
    let sequence = Observable<Int>.using(
      {
        log.add("create")
        return RefCountDisposable(disposable: Disposables.create(with: { log.add("release") }))
      }, observableFactory: { _ in source.asObservable() })
    _ = scheduler.start { sequence.do(afterError: { _ in log.add("afterError") }).retry(2) }
    #expect(log.lines == ["create", "release", "create", "afterError", "release", "afterError"])
  }

  enum LastElement: CaseIterable, Sendable {
    case timer, just, single, take, elementAt, reduce, toArray, takeLast, ifEmpty, catchAndReturn, first,
      asMaybe

    func sequence(_ scheduler: TestScheduler) -> Observable<Int> {
      let timer = Observable<Int>.timer(.seconds(5), scheduler: scheduler)
      let clock = Observable<Int>.interval(.seconds(5), scheduler: scheduler)
      return switch self {
      case .timer: timer
      case .just: timer.flatMap { Observable.just($0) }
      case .single:
        Single<Int>.create { report in
          timer.subscribe(onNext: { report(.success($0)) })
        }.asObservable()
      case .take: clock.take(1)
      case .elementAt: clock.element(at: 0)
      case .reduce: timer.reduce(0, accumulator: +)
      case .toArray: timer.toArray().asObservable().map { $0[0] }
      case .takeLast: timer.takeLast(1)
      case .ifEmpty: timer.filter { _ in false }.ifEmpty(default: 0)
      case .catchAndReturn: timer.map { _ in throw TestError.one }.catchAndReturn(0)
      case .first: timer.first().asObservable().map { _ in 0 }
      case .asMaybe: timer.asMaybe().asObservable()
      }
    }
  }

  @Test("nothing is called after onDispose", arguments: LastElement.allCases)
  func afterDisposal(last: LastElement) {
    let (log, scheduler) = (Log(), TestScheduler(initialClock: 0))
    let observer = scheduler.start {
      last.sequence(scheduler)
        .do(
          onNext: { _ in log.add("onNext") }, onCompleted: { log.add("onCompleted") },
          afterCompleted: { log.add("afterCompleted") }, onDispose: { log.add("onDispose") }
        )
        .take(1)
    }
    #expect(observer.events == [.next(205, 0), .completed(205)])
    #expect(log.lines == ["onNext", "onDispose"])
  }

  @Test("an element is dropped if onNext disposes the subscription")
  func disposedByOnNext() {
    let (log, subject, subscription) = (Log(), PublishSubject<Int>(), SingleAssignmentDisposable())
    subscription.setDisposable(
      subject.do(onNext: { _ in subscription.dispose() })
        .do(onNext: { _ in log.add("next") })
        .map { $0 }.subscribe())
    subject.onNext(1)
    #expect(log.lines == [])
  }
}
