import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("Completable")
struct CompletableTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func completable(_ source: TestableObservable<Int>) -> Completable {
    source.ignoreElements().asCompletable()
  }

  @Test("only the first report counts", arguments: [CompletableEvent.completed, .error(TestError.one)])
  func create(expected: CompletableEvent) {
    let completable = Completable.create { report in
      report(expected)
      report(.completed)
      report(.error(TestError.two))
      return Disposables.create()
    }
    var events: [CompletableEvent] = []
    _ = completable.subscribe { (event: CompletableEvent) in events.append(event) }
    #expect(events == [expected])
  }

  @Test("each way to end calls its closure")
  func subscribeClosures() {
    let log = Log()
    let object = TrackedObject(7, in: TrackedObject.LiveCount())
    for completable in [Completable.empty(), .error(TestError.one)] {
      _ = completable.subscribe(
        onCompleted: { log.add("completed") }, onError: { log.add("error \($0)") },
        onDisposed: { log.add("disposed") })
      _ = completable.subscribe(
        with: object, onCompleted: { log.add("completed \($0.value)") },
        onError: { log.add("error \($0.value) \($1)") }, onDisposed: { log.add("disposed \($0.value)") })
    }
    Completable.never().subscribe(onDisposed: { log.add("never disposed") }).dispose()
    #expect(
      log.lines == [
        "completed", "disposed", "completed 7", "disposed 7", "error one", "disposed", "error 7 one",
        "disposed 7", "never disposed",
      ])
  }

  @Test("empty completes, and never does not")
  func emptyAndNever() {
    let log = Log()
    for (name, completable) in [("never", Completable.never()), ("empty", Completable.empty())] {
      completable.subscribe(onCompleted: { log.add(name) }).dispose()
    }
    #expect(log.lines == ["empty"])
  }

  @Test("no closure of a subscription keeps the object alive")
  func objectOfAllClosures() {
    let (liveCount, source) = (TrackedObject.LiveCount(), PublishSubject<Never>())
    let subscription: any Disposable
    do {
      let object = TrackedObject(in: liveCount)
      subscription = source.asCompletable().subscribe(
        with: object, onCompleted: { _ in }, onError: { _, _ in }, onDisposed: { _ in })
    }
    #expect(liveCount.value == 0)
    subscription.dispose()
  }

  enum ConcatOverload: CaseIterable, Sendable { case concat, list, array, sequence, andThen }

  private func concatenated(_ overload: ConcatOverload, _ first: Completable, _ second: Completable)
    -> Completable
  {
    switch overload {
    case .concat: first.concat(second)
    case .list: .concat(first, second)
    case .array: .concat([first, second])
    case .sequence: .concat(AnySequence([first, second]))
    case .andThen: first.andThen(second)
    }
  }

  @Test("the second is subscribed to when the first has completed", arguments: ConcatOverload.allCases)
  func chains(overload: ConcatOverload) {
    let (first, second) = (scheduler.cold(.next(5, 1), .completed(10)), scheduler.cold(.completed(20)))
    let observer: TestableObserver<Never> = scheduler.start {
      concatenated(overload, completable(first), completable(second))
    }
    #expect(observer.events.map(\.time) == [230])
    #expect(observer.events.map { $0.value.isCompleted } == [true])
    #expect(first.subscriptions == [Subscription(200, 210)])
    #expect(second.subscriptions == [Subscription(210, 230)])
  }

  @Test("the second is not subscribed to when the first fails", arguments: ConcatOverload.allCases)
  func chainFails(overload: ConcatOverload) {
    let (first, second) = (scheduler.cold(.error(10, TestError.one)), scheduler.cold(.completed(20)))
    let observer: TestableObserver<Never> = scheduler.start {
      concatenated(overload, completable(first), completable(second))
    }
    #expect(observer.events.map(\.time) == [210])
    #expect(observer.events.map { $0.value.error is TestError } == [true])
    #expect(second.subscriptions == [])
  }

  @Test("concat of a sequence of completables iterates it for each subscription")
  func lazyConcat() {
    let log = Log()
    let parts = (1...2).lazy.map { part -> Completable in
      log.add("made \(part)")
      return .empty()
    }
    let chain = Completable.concat(AnySequence(parts))
    #expect(log.lines == [])
    for _ in 0..<2 { _ = chain.subscribe(onCompleted: { log.add("completed") }) }
    #expect(log.lines == ["made 1", "made 2", "completed", "made 1", "made 2", "completed"])
  }

  @Test("concat of a lazy collection makes each completable when it is needed")
  func lazyCollection() {
    let log = Log()
    let parts = (1...2).lazy.map { part -> Completable in
      log.add("made \(part)")
      return .empty()
    }
    let chain = Completable.concat(parts)
    #expect(log.lines == [])
    for _ in 0..<2 { _ = chain.subscribe(onCompleted: { log.add("completed") }) }
    #expect(log.lines == ["made 1", "made 2", "completed", "made 1", "made 2", "completed"])
  }

  @Test("andThen continues with a sequence of any kind")
  func andThen() {
    let first = scheduler.cold(.completed(10))
    let second = scheduler.cold(.next(10, 1), .next(20, 2), .completed(30))
    let observer = scheduler.start { completable(first).andThen(second.asObservable()) }
    #expect(observer.events == [.next(220, 1), .next(230, 2), .completed(240)])
    #expect(second.subscriptions == [Subscription(210, 240)])
    for sequence in [
      Completable.empty().andThen(Single.just(1)).asObservable(),
      Completable.empty().andThen(Maybe.just(1)).asObservable(),
    ] {
      let events = TestScheduler(initialClock: 0).start { sequence }.events
      #expect(events == [.next(200, 1), .completed(200)])
    }
  }

  enum ZipMergeOverload: CaseIterable, Sendable {
    case zip, zipArray, zipSlice, merge, mergeArray, mergeSlice
  }

  private func combined(_ overload: ZipMergeOverload, _ first: Completable, _ second: Completable)
    -> Completable
  {
    switch overload {
    case .zip: .zip(first, second)
    case .zipArray: .zip([first, second])
    case .zipSlice: .zip(ArraySlice([first, second]))
    case .merge: .merge(first, second)
    case .mergeArray: .merge([first, second])
    case .mergeSlice: .merge(ArraySlice([first, second]))
    }
  }

  @Test("concurrent completables complete with the last", arguments: ZipMergeOverload.allCases)
  func sideBySide(overload: ZipMergeOverload) {
    let (first, second) = (scheduler.cold(.completed(30)), scheduler.cold(.completed(20)))
    let observer: TestableObserver<Never> = scheduler.start {
      combined(overload, completable(first), completable(second))
    }
    #expect(observer.events.map(\.time) == [230])
    #expect(first.subscriptions == [Subscription(200, 230)])
    #expect(second.subscriptions == [Subscription(200, 220)])
  }

  @Test("the first error of concurrent completables ends all", arguments: ZipMergeOverload.allCases)
  func sideBySideFails(overload: ZipMergeOverload) {
    let (first, second) = (scheduler.cold(.completed(30)), scheduler.cold(.error(20, TestError.one)))
    let observer: TestableObserver<Never> = scheduler.start {
      combined(overload, completable(first), completable(second))
    }
    #expect(observer.events.map(\.time) == [220])
    #expect(first.subscriptions == [Subscription(200, 220)])
  }

  @Test("do calls a closure for every event, in order")
  func doForms() {
    let log = Log()
    let completable = Completable.empty().do(
      onCompleted: { log.add("on") }, afterCompleted: { log.add("after") },
      onSubscribe: { log.add("subscribe") }, onSubscribed: { log.add("subscribed") },
      onDispose: { log.add("dispose") })
    _ = completable.subscribe(onCompleted: { log.add("completed") })
    #expect(log.lines == ["subscribe", "on", "completed", "after", "subscribed", "dispose"])
    var errors: [String] = []
    _ = Completable.error(TestError.one).do(
      onError: { errors.append("on \($0)") }, afterError: { errors.append("after \($0)") }
    ).subscribe(onError: { errors.append("\($0)") })
    #expect(errors == ["on one", "one", "after one"])
  }

  @Test("many completables in a row do not grow the stack")
  func depth() {
    var isCompleted = false
    onSmallStack {
      _ = Completable.concat(repeatElement(Completable.empty(), count: manyRounds))
        .subscribe(onCompleted: { isCompleted = true })
    }
    #expect(isCompleted)
  }

  @Test(
    "completables after one that fails at once are not run",
    arguments: ZipMergeOverload.allCases)
  func failsAtOnce(overload: ZipMergeOverload) {
    var runs = 0
    let second = Completable.create { _ in
      runs += 1
      return Disposables.create()
    }
    var errors: [any Error] = []
    _ = combined(overload, .error(TestError.one), second).subscribe(onError: { errors.append($0) })
    #expect(errors as? [TestError] == [.one])
    #expect(runs == 0)
  }
}
