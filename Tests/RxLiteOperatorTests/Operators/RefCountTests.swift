import ReactiveNetworkLock
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("refCount", .timeLimit(.minutes(5)))
struct RefCountTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("the first observer connects, the last disconnects, and the next connects anew")
  func counts() {
    let source = scheduler.hot(
      .next(210, 1), .next(220, 2), .next(230, 3), .next(240, 4), .next(250, 5), .next(260, 6), .next(270, 7))
    let shared = source.publish().refCount()
    let (first, second, third) = (
      scheduler.createObserver(Int.self), scheduler.createObserver(Int.self),
      scheduler.createObserver(Int.self)
    )
    for (observer, from, to) in [(first, 205, 235), (second, 215, 245), (third, 255, 265)] {
      var subscription: (any Disposable)?
      scheduler.scheduleAt(from) { subscription = shared.subscribe(observer) }
      scheduler.scheduleAt(to) { subscription?.dispose() }
    }
    scheduler.start()
    #expect(first.events == [.next(210, 1), .next(220, 2), .next(230, 3)])
    #expect(second.events == [.next(220, 2), .next(230, 3), .next(240, 4)])
    #expect(third.events == [.next(260, 6)])
    #expect(source.subscriptions == [Subscription(205, 245), Subscription(255, 265)])
  }

  @Test("the stop event disconnects, and the next observer connects anew", arguments: [false, true])
  func stop(fails: Bool) {
    let stop: Recorded<Event<Int>> = fails ? .error(220, TestError.one) : .completed(220)
    let source = scheduler.hot(.next(210, 1), stop, .next(310, 2), .completed(320))
    let shared = source.publish().refCount()
    let observers = (0..<3).map { _ in scheduler.createObserver(Int.self) }
    scheduler.scheduleAt(200) { _ = shared.subscribe(observers[0]) }
    scheduler.scheduleAt(205) { _ = shared.subscribe(observers[1]) }
    scheduler.scheduleAt(300) { _ = shared.subscribe(observers[2]) }
    scheduler.start()
    #expect(observers[0].events == [.next(210, 1), stop])
    #expect(observers[1].events == [.next(210, 1), stop])
    #expect(observers[2].events == [.next(310, 2), .completed(320)])
    #expect(source.subscriptions == [Subscription(200, 220), Subscription(300, 320)])
  }

  @Test("a subject that has ended is not connected again")
  func endedSubject() {
    var subscriptions = 0
    let source = Observable<Int>.deferred {
      subscriptions += 1
      return .of(1, 2)
    }
    let shared = source.multicast(ReplaySubject<Int>.create(bufferSize: 1)).refCount()
    let recorder = RecordingObserver<Int>()
    _ = shared.subscribe(recorder)
    _ = shared.subscribe(recorder)
    #expect(recorder.events == [.next(1), .next(2), .completed, .next(2), .completed])
    #expect(subscriptions == 1)
  }

  @Test("a connection is disposed if its only observer is disposed while the connection is made")
  func leavesWhileConnecting() {
    var isDisposed = false
    let shared = Observable<Int>.create { observer in
      observer.onNext(1)
      observer.onNext(2)
      return Disposables.create { isDisposed = true }
    }.publish().refCount()
    let recorder = RecordingObserver<Int>()
    _ = shared.take(1).subscribe(recorder)
    #expect(recorder.events == [.next(1), .completed])
    #expect(isDisposed)
  }

  @Test("an observer may subscribe and dispose from inside an element")
  func reentrant() {
    let source = PublishSubject<Int>()
    let shared = source.publish().refCount()
    let (outer, inner) = (RecordingObserver<Int>(), RecordingObserver<Int>())
    let subscription = SingleAssignmentDisposable()
    let second = SingleAssignmentDisposable()
    subscription.setDisposable(
      shared.subscribe { event in
        outer.on(event)
        subscription.dispose()
        second.setDisposable(shared.subscribe(inner))
      })
    source.onNext(1)
    source.onNext(2)
    second.dispose()
    #expect(outer.events == [.next(1)])
    #expect(inner.events == [.next(2)])
    #expect(!source.hasObservers)
  }

  @Test("all counted sequences of one connectable sequence count together")
  func countsTogether() {
    let source = PublishSubject<Int>()
    let connectable = source.publish()
    let recorder = RecordingObserver<Int>()
    let first = connectable.refCount().subscribe()
    let second = connectable.refCount().subscribe(recorder)
    first.dispose()
    source.onNext(1)
    second.dispose()
    #expect(recorder.events == [.next(1)])
    #expect(!source.hasObservers)
  }

  @Test("a connectable sequence of a custom type is connected and disconnected")
  func ownConnectable() {
    final class CustomConnectable: ConnectableObservableType {
      typealias Element = Int
      let subject = PublishSubject<Int>()
      var log: [String] = []
      func connect() -> any Disposable {
        log.append("connect")
        return Disposables.create { self.log.append("disconnect") }
      }
      func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
      where Observer.Element == Int {
        log.append("subscribe")
        return subject.subscribe(observer)
      }
    }
    let own = CustomConnectable()
    let shared = own.refCount()
    let subscriptions = (0..<2).map { _ in shared.subscribe() }
    for subscription in subscriptions { subscription.dispose() }
    #expect(own.log == ["subscribe", "connect", "subscribe", "disconnect"])
  }

  @Test("an ended connection may subscribe from its deinitializer")
  func connectionReleased() {
    final class Connection: Disposable, @unchecked Sendable {
      let whenReleased: () -> Void
      init(whenReleased: @escaping () -> Void) { self.whenReleased = whenReleased }
      deinit { whenReleased() }
      func dispose() {}
    }
    final class CustomConnectable: ConnectableObservableType {
      typealias Element = Int
      let subject = PublishSubject<Int>()
      var whenReleased: () -> Void = {}
      func connect() -> any Disposable { Connection { self.whenReleased() } }
      func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
      where Observer.Element == Int {
        subject.subscribe(observer)
      }
    }
    let own = CustomConnectable()
    let shared = own.refCount()
    let late = RecordingObserver<Int>()
    own.whenReleased = {
      own.whenReleased = {}
      _ = shared.subscribe(late)
    }
    // The first observer that receives the end disconnects; the last one releases the connection.
    let subscriptions = (0..<2).map { _ in shared.subscribe() }
    own.subject.onCompleted()
    for subscription in subscriptions { subscription.dispose() }
    #expect(late.events == [.completed])
  }

  @Test("a connection is disposed when its sequence ends while the connection is made")
  func endsWhileConnecting() {
    final class CustomConnectable: ConnectableObservableType {
      typealias Element = Int

      let subject = PublishSubject<Int>()
      var log: [String] = []

      func connect() -> any Disposable {
        subject.onCompleted()
        return Disposables.create { self.log.append("disconnect") }
      }

      func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
      where Observer.Element == Int {
        subject.subscribe(observer)
      }
    }

    let own = CustomConnectable()
    let recorder = RecordingObserver<Int>()
    let subscription = own.refCount().subscribe(recorder)
    #expect(recorder.events == [.completed])
    #expect(own.log == ["disconnect"])
    subscription.dispose()
  }

  @Test("an observer that stays receives its element while other threads subscribe and dispose")
  func threads() {
    let connected = Lock(0)
    let source = Observable<Int>.create { observer in
      connected.withLock { $0 += 1 }
      observer.onNext(1)
      return Disposables.create { connected.withLock { $0 -= 1 } }
    }
    let shared = source.replay(1).refCount()
    let fed = Lock(0)
    let wrong = Log()
    onThreads(4) { thread in
      for _ in 0..<500 {
        let (recorder, semaphore) = (RecordingObserver<Int>(), TestSemaphore())
        let subscription = shared.subscribe { event in
          recorder.on(event)
          semaphore.signal()
        }
        // Only an observer that waits is sure to receive the element, because another thread may still be
        // connecting.
        let isFed = thread < 2 && semaphore.wait()
        subscription.dispose()
        if isFed { fed.withLock { $0 += 1 } }
        let isWhole = thread < 2 ? recorder.events == [.next(1)] : [[], [.next(1)]].contains(recorder.events)
        if !isWhole || recorder.overlaps > 0 { wrong.add("\(recorder.events)") }
        if thread < 2 && !isFed { return }
      }
    }
    #expect(wrong.lines == [])
    #expect(fed.withLock { $0 } == 1_000)
    #expect(connected.withLock { $0 } == 0)
    let recorder = RecordingObserver<Int>()
    let subscription = shared.subscribe(recorder)
    #expect(recorder.elements == [1])
    #expect(connected.withLock { $0 } == 1)
    subscription.dispose()
    #expect(connected.withLock { $0 } == 0)
  }
}
