import Dispatch
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("Maybe", .timeLimit(.minutes(5)))
struct MaybeTests {
  private static let endings: [(maybe: Maybe<Int>, event: MaybeEvent<Int>)] = [
    (.just(1), .success(1)), (.empty(), .completed), (.error(TestError.one), .error(TestError.one)),
  ]

  @Test("it ends in one of three ways", arguments: 0..<3)
  func endings(index: Int) {
    let (maybe, expected) = Self.endings[index]
    var events: [MaybeEvent<Int>] = []
    _ = maybe.subscribe { (event: MaybeEvent<Int>) in events.append(event) }
    #expect(events == [expected])
  }

  @Test("only the first report counts", arguments: 0..<3)
  func create(index: Int) {
    let expected = Self.endings[index].event
    let maybe = Maybe<Int>.create { report in
      report(expected)
      report(.success(2))
      report(.completed)
      return Disposables.create()
    }
    var events: [MaybeEvent<Int>] = []
    _ = maybe.subscribe { (event: MaybeEvent<Int>) in events.append(event) }
    #expect(events == [expected])
  }

  @Test("one of the reports of several threads counts")
  func threads() {
    let maybe = Maybe<Int>.create { report in
      onThreads(4) { report(.success($0)) }
      return Disposables.create()
    }
    for _ in 0..<50 {
      let recorder = RecordingObserver<Int>()
      maybe.asObservable().subscribe(recorder).dispose()
      #expect(recorder.elements.count == 1)
      #expect(recorder.events.count == 2)
    }
  }

  @Test("each way to end calls its closure, and onCompleted does not follow an element")
  func subscribeClosures() {
    let log = Log()
    for (maybe, _) in Self.endings {
      _ = maybe.subscribe(
        onSuccess: { log.add("success \($0)") }, onError: { log.add("error \($0)") },
        onCompleted: { log.add("completed") }, onDisposed: { log.add("disposed") })
    }
    #expect(log.lines == ["success 1", "disposed", "completed", "disposed", "error one", "disposed"])
  }

  @Test("the closures are not called after the release of their object")
  func subscribeWith() {
    let log = Log()
    let liveCount = TrackedObject.LiveCount()
    var object: TrackedObject? = TrackedObject(7, in: liveCount)
    let subject = PublishSubject<Int>()
    for (maybe, _) in Self.endings + [(subject.asMaybe(), .completed)] {
      _ = maybe.subscribe(
        with: object!, onSuccess: { log.add("success \($0.value) \($1)") },
        onError: { log.add("error \($0.value) \($1)") }, onCompleted: { log.add("completed \($0.value)") },
        onDisposed: { log.add("disposed \($0.value)") })
    }
    object = nil
    #expect(liveCount.value == 0)
    subject.onNext(1)
    subject.onCompleted()
    #expect(
      log.lines == [
        "success 7 1", "disposed 7", "completed 7", "disposed 7", "error 7 one", "disposed 7",
      ])
  }

  @Test("map, filter, compactMap and flatMap work with and without an element")
  func transforming() {
    #expect(events { Maybe.just(1).map { $0 + 1 } } == [.next(200, 2), .completed(200)])
    #expect(events { Maybe<Int>.empty().map { $0 + 1 } } == [.completed(200)])
    #expect(events { Maybe.just(1).filter { $0 > 1 } } == [.completed(200)])
    #expect(events { Maybe.just("3").compactMap { Int($0) } } == [.next(200, 3), .completed(200)])
    #expect(events { Maybe.just(1).flatMap { .just($0 + 1) } } == [.next(200, 2), .completed(200)])
    #expect(events { Maybe.just(1).flatMap { _ in Maybe<Int>.empty() } } == [.completed(200)])
    let throwing = Maybe.just(1).map { _ -> Int in throw TestError.one }
    #expect(events { throwing } == [.error(200, TestError.one)])
  }

  @Test("it can be created on a scheduler, and by one")
  func scheduled() {
    let scheduler = TestScheduler(initialClock: 0)
    #expect(
      scheduler.start { Maybe.just(1, scheduler: scheduler) }.events == [.next(201, 1), .completed(202)])
    let other = TestScheduler(initialClock: 0)
    #expect(
      other.start { Maybe<Int>.timer(.seconds(30), scheduler: other) }.events == [
        .next(230, 0), .completed(230),
      ])
    #expect(events { Maybe<Int>.never() } == [])
  }

  @Test("errors: catchAndReturn and catch")
  func errors() {
    #expect(events { Maybe<Int>.error(TestError.one).catchAndReturn(2) } == [.next(200, 2), .completed(200)])
    #expect(events { Maybe<Int>.error(TestError.one).catch { _ in .empty() } } == [.completed(200)])
  }

  @Test("ifEmpty replaces a missing element")
  func ifEmpty() {
    #expect(events { Maybe<Int>.empty().ifEmpty(default: 2) } == [.next(200, 2), .completed(200)])
    #expect(events { Maybe.just(1).ifEmpty(default: 2) } == [.next(200, 1), .completed(200)])
    #expect(
      events { Maybe<Int>.empty().ifEmpty(switchTo: Maybe.just(2)) } == [.next(200, 2), .completed(200)])
    #expect(
      events { Maybe<Int>.empty().ifEmpty(switchTo: Single.just(2)) } == [.next(200, 2), .completed(200)])
    #expect(events { Maybe.just(1).ifEmpty(switchTo: Single.just(2)) } == [.next(200, 1), .completed(200)])
  }

  @Test("a maybe is converted to the other traits")
  func conversions() {
    #expect(events { Maybe.just(1).asSingle() } == [.next(200, 1), .completed(200)])
    #expect(events { Maybe<Int>.empty().asSingle() } == [.error(200, RxError.noElements)])
    #expect(events { Maybe.just(1).asCompletable().andThen(Maybe<Int>.empty()) } == [.completed(200)])
  }

  @Test("do calls a closure for every event, in order")
  func doForms() {
    let log = Log()
    let maybe = Maybe.just(1).do(
      onNext: { log.add("on \($0)") }, afterNext: { log.add("after \($0)") },
      onCompleted: { log.add("completed") }, afterCompleted: { log.add("after completed") },
      onSubscribe: { log.add("subscribe") }, onSubscribed: { log.add("subscribed") },
      onDispose: { log.add("dispose") })
    _ = maybe.subscribe(onSuccess: { log.add("success \($0)") })
    #expect(
      log.lines == [
        "subscribe", "on 1", "success 1", "after 1", "completed", "after completed", "subscribed", "dispose",
      ])
  }

  @Test("do calls its closures before and after an error is delivered")
  func doError() {
    let log = Log()
    _ = Maybe<Int>.error(TestError.one).do(
      onError: { log.add("on \($0)") }, afterError: { log.add("after \($0)") }
    ).subscribe(onError: { log.add("\($0)") })
    #expect(log.lines == ["on one", "one", "after one"])
  }

  private func events<Source: ObservableConvertibleType>(
    _ create: @escaping () -> Source
  ) -> [Recorded<Event<Int>>] where Source.Element == Int {
    TestScheduler(initialClock: 0).start(create).events
  }

  @Test("a completable of a maybe completes without an element, too, and fails with its error")
  func completableEnds() {
    var ends: [CompletableEvent] = []
    for (maybe, _) in Self.endings {
      _ = maybe.asCompletable().subscribe { (event: CompletableEvent) in ends.append(event) }
    }
    #expect(ends == [.completed, .completed, .error(TestError.one)])
  }
}
