import Dispatch
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("flatMapLatest", .timeLimit(.minutes(5)))
struct FlatMapLatestTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("a newer element disposes the previous inner sequence")
  func switches() {
    let outer = scheduler.hot(.next(210, 0), .next(250, 1), .completed(300))
    let inner = [
      scheduler.cold(.next(10, 1), .next(50, 2), .completed(60)),
      scheduler.cold(.next(10, 3), .next(100, 4), .completed(120)),
    ]
    let observer = scheduler.start { outer.flatMapLatest { inner[$0] } }
    #expect(observer.events == [.next(220, 1), .next(260, 3), .next(350, 4), .completed(370)])
    #expect(outer.subscriptions == [Subscription(200, 300)])
    #expect(inner[0].subscriptions == [Subscription(210, 250)])
    #expect(inner[1].subscriptions == [Subscription(250, 370)])
  }

  @Test("it completes with the outer sequence if the latest inner one has completed before")
  func outerEndsLast() {
    let outer = scheduler.hot(.next(210, 0), .completed(300))
    let inner = scheduler.cold(.next(10, 1), .completed(20))
    #expect(
      scheduler.start { outer.flatMapLatest { _ in inner } }.events == [.next(220, 1), .completed(300)])
    #expect(inner.subscriptions == [Subscription(210, 230)])
  }

  @Test("an inner sequence is disposed when its successor is a single element")
  func switchesToSoleElement() {
    let outer = scheduler.hot(.next(210, 0), .next(220, 1), .completed(300))
    let inner = scheduler.cold(.next(50, 9))
    let observer = scheduler.start { outer.flatMapLatest { $0 == 0 ? inner.asObservable() : .just(7) } }
    #expect(observer.events == [.next(220, 7), .completed(300)])
    #expect(inner.subscriptions == [Subscription(210, 220)])
  }

  @Test("an inner error ends all")
  func innerError() {
    let outer = scheduler.hot(.next(210, 0), .completed(600))
    let inner = scheduler.cold(.next(10, 1), .error(30, TestError.one))
    let observer = scheduler.start { outer.flatMapLatest { _ in inner } }
    #expect(observer.events == [.next(220, 1), .error(240, TestError.one)])
    #expect(outer.subscriptions == [Subscription(200, 240)])
    #expect(inner.subscriptions == [Subscription(210, 240)])
  }

  @Test("the error and the completion of an outdated inner sequence are ignored")
  func outdatedEnd() {
    let outer = scheduler.hot(.next(210, 0), .next(220, 1), .next(230, 2), .completed(300))
    let inner = [
      scheduler.cold(.error(15, TestError.one)), scheduler.cold(.completed(15)),
      scheduler.cold(.next(50, 3), .completed(100)),
    ]
    let observer = scheduler.start { outer.flatMapLatest { inner[$0] } }
    #expect(observer.events == [.next(280, 3), .completed(330)])
    #expect(
      inner.map(\.subscriptions) == [
        [Subscription(210, 220)], [Subscription(220, 230)], [Subscription(230, 330)],
      ])
  }

  @Test("an outer error and disposal dispose the inner sequence", arguments: [false, true])
  func outerError(isDisposal: Bool) {
    let outer = scheduler.hot(.next(210, 0), .error(240, TestError.one))
    let inner = scheduler.cold(.next(10, 1), .next(50, 2))
    let observer = scheduler.start(disposed: isDisposal ? 230 : 1000) { outer.flatMapLatest { _ in inner } }
    let end = isDisposal ? 230 : 240
    #expect(observer.events == [.next(220, 1)] + (isDisposal ? [] : [.error(240, TestError.one)]))
    #expect(outer.subscriptions == [Subscription(200, end)])
    #expect(inner.subscriptions == [Subscription(210, end)])
  }

  @Test("the old inner sequence is disposed before the new one is subscribed to")
  func orderOfSwitching() {
    let log = Log()
    let outer = PublishSubject<String>()
    let subscription = outer.flatMapLatest { name in
      log.add("select \(name)")
      return Observable<Int>.create { _ in
        log.add("subscribe \(name)")
        return Disposables.create(with: { log.add("dispose \(name)") })
      }
    }.subscribe()
    outer.onNext("a")
    outer.onNext("b")
    subscription.dispose()
    #expect(log.lines == ["select a", "subscribe a", "select b", "dispose a", "subscribe b", "dispose b"])
  }

  @Test("an outer element that is sent from inside an inner one drops the rest of the inner sequence")
  func reentrantSwitch() {
    let outer = PublishSubject<Observable<Int>>()
    let trigger = PublishSubject<Void>()
    let recorder = RecordingObserver<Int>()
    let subscription = outer.flatMapLatest { $0 }.subscribe { event in
      recorder.on(event)
      if event.element == 11 { outer.onNext(.of(20, 21)) }
    }
    outer.onNext(trigger.flatMap { Observable.of(10, 11, 12) })
    trigger.onNext(())
    outer.onCompleted()
    subscription.dispose()
    #expect(recorder.events == [.next(10), .next(11), .next(20), .next(21), .completed])
  }

  enum PendingEvent: CaseIterable, Sendable {
    case element, soleElement, error, completion

    var sequence: Observable<Int> {
      switch self {
      case .element: Observable<Int>.never().startWith(2)
      case .soleElement: .just(2)
      case .error: .error(TestError.one)
      case .completion: .empty()
      }
    }
  }

  /// Runs `body` on this thread or on another one, and waits for it.
  private func run(onOtherThread: Bool, _ body: @escaping @Sendable () -> Void) {
    if onOtherThread { onThreads(1) { _ in body() } } else { body() }
  }

  @Test(
    "a pending event is dropped if a newer inner sequence arrives before the current delivery ends",
    arguments: PendingEvent.allCases, [false, true])
  func outdatedWhileWaiting(pending: PendingEvent, onOtherThread: Bool) {
    let outer = PublishSubject<Observable<Int>>()
    let (first, third) = (PublishSubject<Int>(), PublishSubject<Int>())
    let recorder = RecordingObserver<Int>()
    let subscription = outer.switchLatest().subscribe { event in
      recorder.on(event)
      guard event.element == 1 else { return }
      self.run(onOtherThread: onOtherThread) {
        outer.onNext(pending.sequence)
        outer.onNext(third.startWith(3))
      }
    }
    outer.onNext(first.asObservable())
    first.onNext(1)
    third.onNext(4)
    outer.onCompleted()
    #expect(recorder.events == [.next(1), .next(3), .next(4)])
    third.onCompleted()
    #expect(recorder.events == [.next(1), .next(3), .next(4), .completed])
    #expect(!first.hasObservers)
    subscription.dispose()
  }

  @Test(
    "an event that another thread delivers precedes the new sequence, and is the last of the old one"
  )
  func switchDuringDelivery() {
    let outer = PublishSubject<Observable<Int>>()
    let (first, second) = (PublishSubject<Int>(), PublishSubject<Int>())
    let (recorder, hasSwitched) = (RecordingObserver<Int>(), BooleanDisposable())
    let subscription = outer.switchLatest().map { element in
      guard element == 1 else { return element }
      onThreads(1) { _ in
        first.onNext(8)
        outer.onNext(second.startWith(2))
        first.onNext(9)
        second.onNext(3)
        hasSwitched.dispose()
      }
      #expect(hasSwitched.isDisposed)
      return element
    }.subscribe(recorder)
    outer.onNext(first.asObservable())
    first.onNext(1)
    #expect(recorder.events == [.next(1), .next(2), .next(3)])
    #expect(!first.hasObservers)
    subscription.dispose()
  }

  @Test(
    "an inner sequence is ignored after a switch that its own element causes",
    arguments: [false, true])
  func continuesAfterSwitch(onOtherThread: Bool) {
    let outer = PublishSubject<Observable<Int>>()
    let first = PublishSubject<Int>()
    let recorder = RecordingObserver<Int>()
    let subscription = outer.switchLatest().subscribe { event in
      recorder.on(event)
      guard event.element == 1 else { return }
      self.run(onOtherThread: onOtherThread) { outer.onNext(Observable<Int>.never().startWith(3)) }
    }
    // On completion `takeLast` sends all its elements, even if it is disposed meanwhile.
    outer.onNext(first.takeLast(2))
    first.onNext(1)
    first.onNext(2)
    first.onCompleted()
    outer.onCompleted()
    #expect(recorder.events == [.next(1), .next(3)])
    subscription.dispose()
  }

  @Test("an element that still waits at the disposal does not reach the next operator")
  func disposedWithWaitingElement() {
    let outer = PublishSubject<Observable<Int>>()
    let inner = PublishSubject<Int>()
    let subscription = SerialDisposable()
    var heard: [Int] = []
    subscription.disposable = outer.switchLatest().map { element in
      heard.append(element)
      outer.onNext(.just(2))
      subscription.dispose()
    }.subscribe()
    outer.onNext(inner.asObservable())
    inner.onNext(1)
    #expect(heard == [1])
  }

  @Test(
    "an element that the observer sends to a subject ends the old inner sequence at once",
    arguments: Kind.allCases)
  func reentrant(kind: Kind) {
    let (source, send) = kind.make()
    let recorder = RecordingObserver<Int>()
    let subscription = source.flatMapLatest { Observable.of($0, $0 + 10, $0 + 20) }
      .do(afterNext: { if $0 == 1 { send(2) } })
      .subscribe(recorder)
    send(1)
    #expect(recorder.events.suffix(4) == [1, 2, 12, 22].map { .next($0) })
    subscription.dispose()
  }

  /// The subjects and relays that an element may wait in.
  enum Kind: CaseIterable {
    case publish, behavior, replay, publishRelay, behaviorRelay, replayRelay

    /// Returns the sequence, and a function that sends an element.
    func make() -> (Observable<Int>, @Sendable (Int) -> Void) {
      switch self {
      case .publish:
        let subject = PublishSubject<Int>()
        return (subject, { subject.onNext($0) })
      case .behavior:
        let subject = BehaviorSubject(value: 0)
        return (subject, { subject.onNext($0) })
      case .replay:
        let subject = ReplaySubject<Int>.create(bufferSize: 1)
        return (subject, { subject.onNext($0) })
      case .publishRelay:
        let relay = PublishRelay<Int>()
        return (relay.asObservable(), { relay.accept($0) })
      case .behaviorRelay:
        let relay = BehaviorRelay(value: 0)
        return (relay.asObservable(), { relay.accept($0) })
      case .replayRelay:
        let relay = ReplayRelay<Int>.create(bufferSize: 1)
        return (relay.asObservable(), { relay.accept($0) })
      }
    }
  }

  @Test(
    "while several threads send and subscribe, the inner sequence of the last element arrives whole",
    arguments: Kind.allCases)
  func threads(kind: Kind) {
    for round in 1...50 {
      let (source, send) = kind.make()
      let recorders = (0..<20).map { _ in RecordingObserver<Int>() }
      let bag = DisposeBag()
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        for step in 0..<20 {
          if thread > 0 {
            send(round * 1000 + thread * 100 + step)
          } else {
            source.flatMapLatest { Observable.of($0, -$0) }.subscribe(recorders[step]).disposed(by: bag)
          }
        }
      }
      // Of publishers, an observer that has subscribed last may have got none.
      for last in recorders.map({ $0.events.suffix(2).compactMap(\.element) }) {
        #expect(last.isEmpty || last.count == 2 && last[0] == -last[1])
      }
      send(7)
      #expect(recorders.allSatisfy { $0.events.suffix(2) == [.next(7), .next(-7)] })
    }
  }

  @Test(
    "an element that is sent while a subject ends takes effect or is refused, but never loses the inner sequence"
  )
  func threadsThatEnd() {
    for round in 0..<2_000 {
      let source = PublishSubject<Int>()
      let running = PublishSubject<Int>()
      let recorder = RecordingObserver<Int>()
      let subscription = source.flatMapLatest { $0 == 1 ? running.asObservable() : .just($0) }.subscribe(
        recorder)
      source.onNext(1)
      DispatchQueue.concurrentPerform(iterations: 3) { thread in
        switch thread {
        case 0: source.onNext(2)
        case 1: if round % 2 == 0 { source.onCompleted() } else { source.dispose() }
        default: source.onNext(3)
        }
      }
      running.onNext(4)
      running.onCompleted()
      let elements = recorder.events.compactMap(\.element)
      #expect(elements.contains(4) != (elements.contains(2) || elements.contains(3)), "\(recorder.events)")
      #expect(recorder.events.last?.isCompleted == (round % 2 == 0))
      subscription.dispose()
    }
  }

  @Test("an element that the observer sends while a subject replays ends the old inner sequence at once")
  func reentrantReplay() {
    let source = BehaviorSubject(value: 1)
    let recorder = RecordingObserver<Int>()
    _ = source.flatMapLatest { Observable.of($0, $0 + 10) }
      .do(afterNext: { if $0 == 1 { source.onNext(2) } })
      .subscribe(recorder)
    #expect(recorder.events == [1, 2, 12].map { .next($0) })
  }

  @Test("the end of a subject, and an element that it refuses, leave the inner sequence as it is")
  func reentrantEnd() {
    let source = PublishSubject<Int>()
    let recorder = RecordingObserver<Int>()
    _ = source.flatMapLatest { Observable.of($0, $0 + 10) }
      .do(afterNext: {
        guard $0 == 1 else { return }
        source.onCompleted()
        source.onNext(2)
      })
      .subscribe(recorder)
    source.onNext(1)
    #expect(recorder.events == [.next(1), .next(11), .completed])
  }

  @Test(
    "the end of a subject that replays, and an element that it refuses, leave the inner sequence as it is")
  func reentrantEndOfReplay() {
    let source = BehaviorSubject(value: 1)
    let recorder = RecordingObserver<Int>()
    _ = source.flatMapLatest { Observable.of($0, $0 + 10) }
      .do(afterNext: {
        guard $0 == 1 else { return }
        source.onCompleted()
        source.onNext(2)
      })
      .subscribe(recorder)
    #expect(recorder.events == [.next(1), .next(11), .completed])
  }

  @Test("an error of an inner sequence is dropped if a newer element waits, and the end comes after it")
  func reentrantError() {
    let source = PublishSubject<Int>()
    let recorder = RecordingObserver<Int>()
    _ = source.flatMapLatest { $0 == 1 ? Observable.error(TestError.one).startWith(1) : .just($0) }
      .do(afterNext: {
        guard $0 == 1 else { return }
        source.onNext(2)
        source.onCompleted()
      })
      .subscribe(recorder)
    source.onNext(1)
    #expect(recorder.events == [.next(1), .next(2), .completed])
  }

  @Test(
    "an element that the observer sends through an operator arrives after those that the old inner sends at once"
  )
  func reentrantThroughOperator() {
    let source = PublishSubject<Int>()
    let recorder = RecordingObserver<Int>()
    _ = source.map { $0 }.flatMapLatest { Observable.of($0, $0 + 10, $0 + 20) }
      .do(afterNext: { if $0 == 1 { source.onNext(2) } })
      .subscribe(recorder)
    source.onNext(1)
    #expect(recorder.events == [1, 11, 21, 2, 12, 22].map { .next($0) })
  }
}
