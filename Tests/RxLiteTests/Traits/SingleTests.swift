import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("Single")
struct SingleTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("create reports success or failure, and only the first report counts", arguments: [false, true])
  func create(isFailure: Bool) {
    var disposals = 0
    let single = Single<Int>.create { report in
      report(isFailure ? .failure(TestError.one) : .success(1))
      report(.success(2))
      report(.failure(TestError.two))
      return Disposables.create(with: { disposals += 1 })
    }
    #expect(
      scheduler.start { single }.events
        == (isFailure ? [.error(200, TestError.one)] : [.next(200, 1), .completed(200)]))
    #expect(disposals == 1)
  }

  @Test("a report from inside the delivery of the first one is ignored")
  func reentrantReport() {
    var report: ((SingleEvent<Int>) -> Void)?
    let single = Single<Int>.create {
      report = $0
      return Disposables.create()
    }
    let recorder = RecordingObserver<Int>()
    _ = single.asObservable().subscribe { event in
      recorder.on(event)
      if event.element == 1 { report?(.success(2)) }
    }
    report?(.success(1))
    #expect(recorder.events == [.next(1), .completed])
    // Breaks the cycle through the subscriber's closure.
    report = nil
  }

  @Test("disposal before the report disposes the work and ignores the report")
  func disposed() {
    var disposals: [TestTime] = []
    let observer = scheduler.start(disposed: 250) {
      Single<Int>.create { report in
        self.scheduler.scheduleAt(300) { report(.success(1)) }
        return Disposables.create(with: { disposals.append(self.scheduler.clock) })
      }
    }
    #expect(observer.events == [])
    #expect(disposals == [250])
  }

  @Test("each way to subscribe notifies of the end and the disposal", arguments: [false, true])
  func subscribe(isFailure: Bool) {
    let log = Log()
    let object = TrackedObject(7, in: TrackedObject.LiveCount())
    let single: Single<Int> = isFailure ? .error(TestError.one) : .just(1)
    _ = single.subscribe(
      onSuccess: { log.add("success \($0)") }, onFailure: { log.add("failure \($0)") },
      onDisposed: { log.add("disposed") })
    _ = single.subscribe { log.add("\($0)") }
    _ = single.subscribe(
      with: object, onSuccess: { log.add("success \($0.value) \($1)") },
      onFailure: { log.add("failure \($0.value) \($1)") }, onDisposed: { log.add("disposed \($0.value)") })
    let result: Result<Int, any Error> = isFailure ? .failure(TestError.one) : .success(1)
    #expect(
      log.lines == (isFailure ? ["failure one"] : ["success 1"]) + ["disposed", "\(result)"]
        + (isFailure ? ["failure 7 one"] : ["success 7 1"]) + ["disposed 7"])
  }

  @Test("map and flatMap continue with the element")
  func transforms() {
    let single = Single.just(2).map { $0 * 10 }.flatMap { Single.just("\($0)") }
    #expect(scheduler.start { single }.events == [.next(200, "20"), .completed(200)])
  }

  @Test("errors that map and flatMap throw are the error of the single")
  func transformThrows() {
    let singles: [Single<Int>] = [
      Single.just(1).map { _ in throw TestError.one },
      Single.just(1).flatMap { _ -> Single<Int> in throw TestError.one },
      Single.just(1).do(onSuccess: { _ in throw TestError.one }),
    ]
    for single in singles {
      var results: [Result<Int, any Error>] = []
      _ = single.subscribe { results.append($0) }
      #expect(results.count == 1 && results[0] == .failure(TestError.one))
    }
  }

  @Test("flatMap disposes the second when disposed, and the first when it has ended")
  func flatMapDisposed() {
    let (first, second) = (scheduler.hot(.next(210, 1), .completed(220)), scheduler.cold(.next(50, 2)))
    _ = scheduler.start(disposed: 250) { first.asSingle().flatMap { _ in second.asSingle() } }
    #expect(first.subscriptions == [Subscription(200, 220)])
    #expect(second.subscriptions == [Subscription(220, 250)])
  }

  @Test("do calls its closure for success at the right time")
  func doSuccess() {
    let log = Log()
    _ = Single.just(1).do(
      onSuccess: { log.add("on \($0)") }, afterSuccess: { log.add("after \($0)") },
      onSubscribe: { log.add("subscribe") }, onSubscribed: { log.add("subscribed") },
      onDispose: { log.add("dispose") }
    ).subscribe(onSuccess: { log.add("success \($0)") })
    #expect(log.lines.filter { !$0.hasPrefix("subscribe") } == ["on 1", "success 1", "after 1", "dispose"])
    #expect(log.lines.first == "subscribe" && log.lines.contains("subscribed"))
  }

  @Test("zip pairs two")
  func zip() {
    let single = Single.zip(Single.just(1), Single.just("a")) { "\($0)\($1)" }
    #expect(scheduler.start { single }.events == [.next(200, "1a"), .completed(200)])
  }

  @Test("retry, catch and catchAndReturn handle the failure")
  func recovery() {
    var attempts = 0
    let flaky = Single<Int>.create { report in
      attempts += 1
      report(attempts < 3 ? .failure(TestError.one) : .success(attempts))
      return Disposables.create()
    }
    var results: [Result<Int, any Error>] = []
    let singles = [
      flaky.retry(3), Single.error(TestError.one).catch { _ in .just(8) },
      Single.error(TestError.one).catchAndReturn(9),
    ]
    for single in singles { _ = single.subscribe { results.append($0) } }
    #expect(results.map { try? $0.get() } == [3, 8, 9])
  }

  @Test("an unhandled failure goes to the hook")
  func unhandled() {
    let log = Log()
    let before = Hooks.defaultErrorHandler
    defer { Hooks.defaultErrorHandler = before }
    // Other tests run meanwhile, so only this test's own error counts.
    struct Mine: Error {}
    Hooks.defaultErrorHandler = { _, error in if error is Mine { log.add("\(error)") } }
    _ = Single<Int>.error(Mine()).subscribe(onSuccess: { _ in })
    _ = Observable<Int>.error(Mine()).subscribe(onNext: { _ in })
    #expect(log.lines == ["Mine()", "Mine()"])
  }
}
