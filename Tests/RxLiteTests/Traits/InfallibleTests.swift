import Dispatch
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("Infallible")
struct InfallibleTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("create delivers until the end, and nothing after it or after disposal")
  func create() {
    let log = Log()
    let infallible = Infallible<Int>.create { observer in
      observer(.next(1))
      observer(.completed)
      observer(.next(2))
      return Disposables.create { log.add("disposed") }
    }
    var events: [InfallibleEvent<Int>] = []
    _ = infallible.subscribe { (event: InfallibleEvent<Int>) in events.append(event) }
    #expect(events == [.next(1), .completed])
    #expect(log.lines == ["disposed"])
  }

  @Test("create delivers an event that is sent during the delivery of another after it")
  func reentrant() {
    let log = Log()
    var send: ((InfallibleEvent<Int>) -> Void)?
    let infallible = Infallible<Int>.create { observer in
      send = observer
      return Disposables.create()
    }
    let subscription = infallible.subscribe(onNext: { element in
      log.add("begin \(element)")
      if element == 1 { send?(.next(2)) }
      log.add("end \(element)")
    })
    send?(.next(1))
    subscription.dispose()
    // Breaks the cycle through the subscriber's closure.
    send = nil
    #expect(log.lines == ["begin 1", "end 1", "begin 2", "end 2"])
  }

  @Test("from iterates its sequence and deferred calls its closure for each subscription")
  func anew() {
    let log = Log()
    let numbers = (1...2).lazy.map { number in
      log.add("iterated \(number)")
      return number
    }
    let iterated = Infallible<Int>.from(numbers)
    let made = Infallible<Int>.deferred {
      log.add("made")
      return .just(3)
    }
    #expect(log.lines == [])
    for _ in 0..<2 {
      #expect(elements(iterated) == [1, 2])
      #expect(elements(made) == [3])
    }
    #expect(log.lines == ["iterated 1", "iterated 2", "made", "iterated 1", "iterated 2", "made"])
  }

  @Test("concat of a sequence of infallibles iterates it for each subscription")
  func lazyConcat() {
    let log = Log()
    let parts = (1...2).lazy.map { part -> Infallible<Int> in
      log.add("made \(part)")
      return .just(part)
    }
    let chain = Infallible<Int>.concat(AnySequence(parts))
    #expect(log.lines == [])
    for _ in 0..<2 { #expect(elements(chain) == [1, 2]) }
    #expect(log.lines == ["made 1", "made 2", "made 1", "made 2"])
  }

  @Test("concat of a lazy collection makes each infallible when it is needed")
  func lazyCollection() {
    let log = Log()
    let parts = (1...2).lazy.map { part -> Infallible<Int> in
      log.add("made \(part)")
      return .just(part)
    }
    let chain = Infallible<Int>.concat(parts)
    #expect(log.lines == [])
    for _ in 0..<2 { #expect(elements(chain) == [1, 2]) }
    #expect(log.lines == ["made 1", "made 2", "made 1", "made 2"])
  }

  @Test("empty completes at once, and never does not end")
  func emptyAndNever() {
    let (empty, never) = (RecordingObserver<Int>(), RecordingObserver<Int>())
    _ = Infallible<Int>.empty().asObservable().subscribe(empty)
    Infallible<Int>.never().asObservable().subscribe(never).dispose()
    #expect(empty.events == [.completed])
    #expect(never.events == [])
  }

  @Test("merge subscribes to all infallibles at once", arguments: 0..<3)
  func mergeAtOnce(overload: Int) {
    let (first, second) = (PublishRelay<Int>(), PublishRelay<Int>())
    let sources = [first.asInfallible(), second.asInfallible()]
    let merged: Infallible<Int> =
      switch overload {
      case 0: .merge(sources[0], sources[1])
      case 1: .merge(sources)
      default: .merge(ArraySlice(sources))
      }
    let recorder = RecordingObserver<Int>()
    let subscription = merged.asObservable().subscribe(recorder)
    second.accept(1)
    first.accept(2)
    subscription.dispose()
    #expect(recorder.events == [.next(1), .next(2)])
  }

  @Test("by default, share replays nothing")
  func shareWithoutReplay() {
    let (relay, late) = (PublishRelay<Int>(), RecordingObserver<Int>())
    let shared = relay.asInfallible().share()
    let first = shared.subscribe(onNext: { _ in })
    relay.accept(1)
    let second = shared.asObservable().subscribe(late)
    relay.accept(2)
    first.dispose()
    second.dispose()
    #expect(late.events == [.next(2)])
  }

  @Test("each kind of event calls its closure")
  func subscribeClosures() {
    let log = Log()
    var object: TrackedObject? = TrackedObject(7, in: TrackedObject.LiveCount())
    _ = Infallible.just(1).subscribe(
      onNext: { log.add("next \($0)") }, onCompleted: { log.add("completed") },
      onDisposed: { log.add("disposed") })
    let subject = PublishSubject<Int>()
    _ = subject.asInfallible(onErrorJustReturn: 0).subscribe(
      with: object!, onNext: { log.add("next \($0.value) \($1)") },
      onCompleted: { log.add("completed \($0.value)") }, onDisposed: { log.add("disposed \($0.value)") })
    subject.onNext(2)
    object = nil
    subject.onNext(3)
    subject.onCompleted()
    #expect(log.lines == ["next 1", "completed", "disposed", "next 7 2"])
  }

  @Test("the closures receive the object while it is alive, also at the end")
  func completionWithObject() {
    let log = Log()
    let object = TrackedObject(7, in: TrackedObject.LiveCount())
    _ = Infallible.just(1).subscribe(
      with: object, onNext: { log.add("next \($0.value) \($1)") },
      onCompleted: { log.add("completed \($0.value)") }, onDisposed: { log.add("disposed \($0.value)") })
    withExtendedLifetime(object) {}
    #expect(log.lines == ["next 7 1", "completed 7", "disposed 7"])
  }

  @Test("an error becomes an element, or another sequence, and the source is disposed", arguments: 0..<3)
  func asInfallible(index: Int) {
    let source = scheduler.hot(.next(210, 1), .error(220, TestError.one))
    let observer = scheduler.start {
      switch index {
      case 0: source.asInfallible(onErrorJustReturn: 9)
      case 1: source.asInfallible(onErrorFallbackTo: .just(9))
      default: source.asInfallible { $0 is TestError ? .just(9) : .empty() }
      }
    }
    #expect(observer.events == [.next(210, 1), .next(220, 9), .completed(220)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test("creation: of, from, just, empty, never, deferred")
  func creation() {
    #expect(elements(.of(1, 2)) == [1, 2])
    #expect(elements(.from([1, 2])) == [1, 2])
    #expect(elements(.from(1...2)) == [1, 2])
    #expect(elements(.just(1)) == [1])
    #expect(elements(.empty()) == [])
    #expect(elements(.never()) == [])
    #expect(elements(.deferred { .just(3) }) == [3])
    #expect(
      scheduler.start { Infallible.just(1, scheduler: self.scheduler) }.events == [
        .next(201, 1), .completed(202),
      ])
  }

  @Test("transforming operators")
  func transforming() {
    let source = Infallible.of(1, 2, 3)
    #expect(elements(source.map { $0 * 2 }) == [2, 4, 6])
    #expect(elements(source.compactMap { $0 == 2 ? nil : $0 }) == [1, 3])
    #expect(elements(source.flatMap { Infallible.just($0) }) == [1, 2, 3])
    #expect(elements(source.flatMapLatest { Infallible.just($0) }) == [1, 2, 3])
    #expect(elements(source.flatMapFirst { Infallible.just($0) }) == [1, 2, 3])
    #expect(elements(source.concatMap { Infallible.of($0, $0) }) == [1, 1, 2, 2, 3, 3])
    #expect(elements(source.scan(0) { $0 + $1 }) == [1, 3, 6])
    #expect(elements(source.scan(into: 0) { $0 += $1 }) == [1, 3, 6])
    #expect(elements(source.startWith(0)) == [0, 1, 2, 3])
    #expect(elements(source.share(replay: 1)) == [1, 2, 3])
  }

  @Test("filtering operators")
  func filtering() {
    let source = Infallible.of(1, 2, 2, 3)
    #expect(elements(source.filter { $0 > 1 }) == [2, 2, 3])
    #expect(elements(source.take(2)) == [1, 2])
    #expect(elements(source.take(while: { $0 < 2 })) == [1])
    #expect(elements(source.take(until: { $0 == 2 }, behavior: .inclusive)) == [1, 2])
    #expect(elements(source.skip(while: { $0 < 2 })) == [2, 2, 3])
    #expect(elements(source.distinctUntilChanged()) == [1, 2, 3])
    #expect(elements(source.distinctUntilChanged { $0 / 2 }) == [1, 2])
    #expect(elements(source.distinctUntilChanged { $0 == $1 }) == [1, 2, 3])
    #expect(elements(source.distinctUntilChanged({ $0 / 2 }, comparer: { $0 == $1 })) == [1, 2])
    #expect(elements(source.distinctUntilChanged(at: \.description)) == [1, 2, 3])
  }

  @Test("joining operators")
  func joining() {
    let (first, second) = (Infallible.of(1, 2), Infallible.of(3))
    #expect(elements(first.concat(second)) == [1, 2, 3])
    #expect(elements(.concat(first, second)) == [1, 2, 3])
    #expect(elements(.concat([first, second])) == [1, 2, 3])
    #expect(elements(.concat(AnySequence([first, second]))) == [1, 2, 3])
    #expect(elements(.merge(first, second)).sorted() == [1, 2, 3])
    #expect(elements(.merge([first, second])).sorted() == [1, 2, 3])
    #expect(elements(.merge(ArraySlice([first, second]))).sorted() == [1, 2, 3])
    #expect(elements(Infallible.just(1).withLatestFrom(Infallible.just(5))) == [5])
    #expect(elements(Infallible.just(1).withLatestFrom(Infallible.just(5)) { $0 + $1 }) == [6])
  }

  @Test("another sequence starts or ends it, and may end it by failing")
  func until() {
    let source = scheduler.hot(.next(210, 1), .next(230, 2), .next(250, 3))
    let trigger = scheduler.hot(.error(240, TestError.one))
    let infallible = source.asInfallible(onErrorJustReturn: 0)
    #expect(
      scheduler.start { infallible.take(until: trigger) }.events == [
        .next(210, 1), .next(230, 2), .completed(240),
      ])
    let other = TestScheduler(initialClock: 0)
    let numbers = other.hot(.next(210, 1), .next(230, 2), .next(250, 3)).asInfallible(onErrorJustReturn: 0)
    let signal = other.hot(.next(240, 0)).asInfallible(onErrorJustReturn: 0)
    #expect(other.start { numbers.skip(until: signal) }.events == [.next(250, 3)])
    let third = TestScheduler(initialClock: 0)
    let elements = third.hot(.next(210, 1), .next(230, 2), .next(250, 3)).asInfallible(onErrorJustReturn: 0)
    let stop = third.hot(.next(240, 0)).asInfallible(onErrorJustReturn: 0)
    #expect(
      third.start { elements.take(until: stop) }.events == [
        .next(210, 1), .next(230, 2), .completed(240),
      ])
  }

  @Test("take(until:) ignores the completion of its trigger, and ends with the trigger's first element")
  func untilOtherCompletes() {
    let infallible = scheduler.hot(.next(210, 1), .next(230, 2)).asInfallible(onErrorJustReturn: 0)
    let (ended, fired) = (scheduler.hot(.completed(220)), scheduler.hot(.next(220, 0)))
    let observers = (0..<2).map { _ in scheduler.createObserver(Int.self) }
    scheduler.scheduleAt(200) {
      _ = infallible.take(until: ended).asObservable().subscribe(observers[0])
      _ = infallible.take(until: fired).asObservable().subscribe(observers[1])
    }
    scheduler.start()
    #expect(observers[0].events == [.next(210, 1), .next(230, 2)])
    #expect(observers[1].events == [.next(210, 1), .completed(220)])
  }

  @Test("skip(until:) ignores an error of its trigger, and begins with the trigger's first element")
  func skipUntil() {
    let infallible = scheduler.hot(.next(210, 1), .next(230, 2), .next(250, 3))
      .asInfallible(onErrorJustReturn: 0)
    let (failing, opening) = (scheduler.hot(.error(220, TestError.one)), scheduler.hot(.next(240, 0)))
    let observers = (0..<2).map { _ in scheduler.createObserver(Int.self) }
    scheduler.scheduleAt(200) {
      _ = infallible.skip(until: failing).asObservable().subscribe(observers[0])
      _ = infallible.skip(until: opening).asObservable().subscribe(observers[1])
    }
    scheduler.start()
    #expect(observers.map(\.events) == [[], [.next(250, 3)]])
  }

  @Test("of and from send on the given scheduler", arguments: 0..<3)
  func scheduled(index: Int) {
    let scheduler = scheduler
    let infallible: Infallible<Int> =
      switch index {
      case 0: .of(1, 2, scheduler: scheduler)
      case 1: .from([1, 2], scheduler: scheduler)
      default: .from(1...2, scheduler: scheduler)
      }
    #expect(scheduler.start { infallible }.events == [.next(201, 1), .next(202, 2), .completed(203)])
  }

  @Test("take(while:) and take(until:) include the last element only on demand")
  func inclusive() {
    let source = Infallible.of(1, 2, 3)
    #expect(elements(source.take(while: { $0 < 2 }, behavior: .inclusive)) == [1, 2])
    #expect(elements(source.take(until: { $0 == 2 })) == [1])
  }

  @Test("share keeps the elements to replay as long as its scope says")
  func shareScope() {
    var subscriptions = 0
    let source = Infallible.of(1, 2).do(onSubscribe: { subscriptions += 1 })
    let (connected, forever) = (source.share(replay: 1), source.share(replay: 1, scope: .forever))
    #expect((0..<2).map { _ in elements(connected) } == [[1, 2], [1, 2]])
    #expect(subscriptions == 2)
    #expect((0..<2).map { _ in elements(forever) } == [[1, 2], [2]])
    #expect(subscriptions == 3)
  }

  @Test("timed operators keep their times")
  func timed() {
    let source = scheduler.hot(.next(210, 1), .next(212, 2), .next(230, 3), .completed(240))
    let infallible = source.asInfallible(onErrorJustReturn: 0)
    var results: [TestableObserver<Int>] = []
    for sequence in [
      infallible.debounce(.seconds(5), scheduler: scheduler),
      infallible.throttle(.seconds(5), latest: false, scheduler: scheduler),
      infallible.take(for: .seconds(15), scheduler: scheduler),
      infallible.throttle(.seconds(5), scheduler: scheduler),
    ] {
      let observer = scheduler.createObserver(Int.self)
      results.append(observer)
      scheduler.scheduleAt(200) { _ = sequence.asObservable().subscribe(observer) }
    }
    scheduler.start()
    #expect(
      results.map(\.events) == [
        [.next(217, 2), .next(235, 3), .completed(240)], [.next(210, 1), .next(230, 3), .completed(240)],
        [.next(210, 1), .next(212, 2), .completed(215)],
        [.next(210, 1), .next(215, 2), .next(230, 3), .completed(240)],
      ])
  }

  @Test("the release of an unretained object completes it")
  func withUnretained() {
    let relay = PublishRelay<Int>()
    var object: TrackedObject? = TrackedObject(7, in: TrackedObject.LiveCount())
    let log = Log()
    _ = relay.asInfallible().withUnretained(object!).subscribe(
      onNext: { log.add("next \($0.value) \($1)") }, onCompleted: { log.add("completed") })
    _ = relay.asInfallible().withUnretained(object!) { $0.value + $1 }.subscribe(onNext: {
      log.add("sum \($0)")
    })
    relay.accept(1)
    object = nil
    relay.accept(2)
    #expect(log.lines == ["next 7 1", "sum 8", "completed"])
  }

  @Test("a relay cannot fail")
  func relays() {
    let (behavior, replay) = (BehaviorRelay(value: 1), ReplayRelay<Int>.create(bufferSize: 1))
    replay.accept(2)
    #expect(elements(behavior.asInfallible()) == [1])
    #expect(elements(replay.asInfallible()) == [2])
  }

  @Test("do calls a closure for every event, in order")
  func doForms() {
    let log = Log()
    _ = Infallible.just(1).do(
      onNext: { log.add("on \($0)") }, afterNext: { log.add("after \($0)") },
      onCompleted: { log.add("completed") }, afterCompleted: { log.add("after completed") },
      onSubscribe: { log.add("subscribe") }, onSubscribed: { log.add("subscribed") },
      onDispose: { log.add("dispose") }
    ).subscribe(onNext: { log.add("next \($0)") })
    #expect(
      log.lines == [
        "subscribe", "on 1", "next 1", "after 1", "completed", "after completed", "subscribed", "dispose",
      ])
  }

  private func elements(_ infallible: Infallible<Int>) -> [Int] {
    var elements: [Int] = []
    infallible.subscribe(onNext: { elements.append($0) }).dispose()
    return elements
  }
}
