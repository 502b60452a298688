import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("publish, replay, multicast and connect")
struct MulticastTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func source(_ stop: Recorded<Event<Int>> = .completed(600)) -> TestableObservable<Int> {
    scheduler.hot(
      .next(110, 7), .next(220, 3), .next(280, 4), .next(290, 1), .next(340, 8), .next(360, 5), .next(370, 6),
      .next(390, 7), .next(410, 13), .next(430, 2), .next(450, 9), .next(520, 11), .next(560, 20), stop)
  }

  /// Subscribes at 450 to a sequence that is connected from 300 to 400, from 500 to 550 and from 650 to 800.
  private func connecting(
    _ connectable: ConnectableObservable<Int>, subscribed: Int = 450
  ) -> TestableObserver<Int> {
    let observer = scheduler.createObserver(Int.self)
    for (connected, disconnected) in [(300, 400), (500, 550), (650, 800)] {
      var connection: (any Disposable)?
      scheduler.scheduleAt(connected) { connection = connectable.connect() }
      scheduler.scheduleAt(disconnected) { connection?.dispose() }
    }
    scheduler.scheduleAt(subscribed) { _ = connectable.subscribe(observer) }
    scheduler.start()
    return observer
  }

  @Test("elements arrive while connected")
  func publish() {
    let source = source()
    let observer = connecting(source.publish(), subscribed: 200)
    #expect(observer.events == [.next(340, 8), .next(360, 5), .next(370, 6), .next(390, 7)])
    #expect(source.subscriptions == [Subscription(300, 400), Subscription(500, 550), Subscription(650, 800)])
  }

  @Test("each connection has its own subject")
  func newSubject() {
    let source = source()
    let observer = connecting(source.publish(), subscribed: 450)
    #expect(observer.events == [.next(520, 11)])
    let replaying = TestScheduler(initialClock: 0)
    let other = replaying.hot(.next(210, 1), .next(220, 2), .next(310, 3), .completed(320))
    let connectable = other.replay(1)
    let (early, late) = (replaying.createObserver(Int.self), replaying.createObserver(Int.self))
    var connection: (any Disposable)?
    replaying.scheduleAt(200) { connection = connectable.connect() }
    replaying.scheduleAt(230) { _ = connectable.subscribe(early) }
    replaying.scheduleAt(240) { connection?.dispose() }
    replaying.scheduleAt(250) { _ = connectable.subscribe(late) }
    replaying.scheduleAt(300) { connection = connectable.connect() }
    replaying.start()
    #expect(early.events == [.next(230, 2)])
    #expect(late.events == [.next(310, 3), .completed(320)])
    #expect(other.subscriptions == [Subscription(200, 240), Subscription(300, 320)])
  }

  @Test("one subject may serve all connections")
  func sameSubject() {
    let source = source()
    let observer = connecting(source.multicast(PublishSubject<Int>()), subscribed: 200)
    #expect(
      observer.events == [.next(340, 8), .next(360, 5), .next(370, 6), .next(390, 7), .next(520, 11)])
  }

  @Test("a later observer receives the replayed elements", arguments: [0, 2, Int.max])
  func replay(size: Int) {
    let source = source()
    let connectable = size == .max ? source.replayAll() : source.replay(size)
    let observer = scheduler.createObserver(Int.self)
    scheduler.scheduleAt(300) { _ = connectable.connect() }
    scheduler.scheduleAt(380) { _ = connectable.subscribe(observer) }
    scheduler.scheduleAt(385) { _ = connectable.connect() }
    scheduler.start()
    let replayed = [8, 5, 6].suffix(size).map { Recorded.next(380, $0) }
    #expect(
      observer.events == replayed + [
        .next(390, 7), .next(410, 13), .next(430, 2), .next(450, 9), .next(520, 11), .next(560, 20),
        .completed(600),
      ])
    #expect(source.subscriptions == [Subscription(300, 600)])
  }

  @Test("the stop event ends the connection, and the next one starts anew", arguments: [false, true])
  func stop(fails: Bool) {
    let stop: Recorded<Event<Int>> = fails ? .error(230, TestError.one) : .completed(230)
    let source = scheduler.hot(.next(210, 1), stop, .next(310, 2))
    let connectable = source.publish()
    let (early, late) = (scheduler.createObserver(Int.self), scheduler.createObserver(Int.self))
    scheduler.scheduleAt(200) { _ = connectable.subscribe(early) }
    scheduler.scheduleAt(205) { _ = connectable.connect() }
    scheduler.scheduleAt(300) { _ = connectable.subscribe(late) }
    scheduler.scheduleAt(305) { _ = connectable.connect() }
    scheduler.start()
    #expect(early.events == [.next(210, 1), stop])
    #expect(late.events == [.next(310, 2)])
    #expect(source.subscriptions == [Subscription(200 + 5, 230), Subscription(305, .max)])
  }

  @Test("a second call of connect() returns the existing connection, which it can end")
  func connectedTwice() {
    let source = PublishSubject<Int>()
    let recorder = RecordingObserver<Int>()
    let connectable = source.publish()
    let subscription = connectable.subscribe(recorder)
    let connections = [connectable.connect(), connectable.connect()]
    source.onNext(1)
    connections[1].dispose()
    #expect(!source.hasObservers)
    source.onNext(2)
    #expect(recorder.events == [.next(1)])
    connections[0].dispose()
    subscription.dispose()
  }

  @Test("a selector shares the source, anew for each subscription")
  func selector() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .completed(250))
    let observer = scheduler.start {
      source.multicast {
        PublishSubject<Int>()
      } selector: {
        Observable.zip($0, $0) { $0 + $1 }
      }
    }
    #expect(observer.events == [.next(210, 2), .next(220, 4), .completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
  }

  @Test("an error of a selector ends it, and the source is not subscribed to", arguments: [false, true])
  func selectorThrows(isFirst: Bool) {
    let source = scheduler.hot(.next(210, 1))
    let observer = scheduler.start {
      source.multicast {
        if isFirst { throw TestError.one }
        return PublishSubject<Int>()
      } selector: {
        if !isFirst { throw TestError.one }
        return $0
      }
    }
    #expect(observer.events == [.error(200, TestError.one)])
    #expect(source.subscriptions == [])
  }

  @Test("an observer may connect, disconnect and subscribe from inside an element")
  func reentrant() {
    let source = PublishSubject<Int>()
    let connectable = source.replay(1)
    let (outer, inner) = (RecordingObserver<Int>(), RecordingObserver<Int>())
    var connection: (any Disposable)?
    _ = connectable.subscribe { event in
      outer.on(event)
      _ = connectable.connect()
      _ = connectable.subscribe(inner)
      if event.element == 2 { connection?.dispose() }
    }
    connection = connectable.connect()
    for element in 1...3 { source.onNext(element) }
    #expect(outer.elements == [1, 2])
    #expect(inner.elements.contains(2))
    #expect(!source.hasObservers)
  }

  @Test("a source that ends inside connect() may be connected again from there")
  func synchronousSource() {
    let connectable = Observable<Int>.create { observer in
      observer.onNext(1)
      observer.onCompleted()
      return Disposables.create()
    }.publish()
    let recorder = RecordingObserver<Int>()
    var rounds = 0
    func go() {
      guard rounds < 3 else { return }
      rounds += 1
      _ = connectable.subscribe { event in
        recorder.on(event)
        if event.isCompleted { go() }
      }
      _ = connectable.connect()
    }
    go()
    #expect(recorder.events == [.next(1), .completed, .next(1), .completed, .next(1), .completed])
  }

  @Test("nothing is kept after disconnecting")
  func lifetime() {
    let liveCount = TrackedObject.LiveCount()
    do {
      let tracked = TrackedObject(in: liveCount)
      let connectable = Observable<Int>.never().do(onNext: { _ in _ = tracked }).publish()
      let subscription = connectable.subscribe(onNext: { _ in _ = tracked })
      let connection = connectable.connect()
      connection.dispose()
      subscription.dispose()
    }
    #expect(liveCount.value == 0)
  }

  @Test("with a selector, elements that the source sends on subscription are delivered")
  func selectorSynchronous() {
    let source = Observable<Int>.create { observer in
      observer.onNext(1)
      observer.onCompleted()
      return Disposables.create()
    }
    let recorder = RecordingObserver<Int>()
    _ = source.multicast {
      PublishSubject<Int>()
    } selector: {
      $0
    }.subscribe(recorder)
    #expect(recorder.events == [.next(1), .completed])
  }

  @Test("an observer that is disconnected while the source delivers does not receive that element")
  func disconnectedDuringDelivery() {
    let source = PublishSubject<Int>()
    let connectable = source.publish()
    let connection = SerialDisposable()
    let recorder = RecordingObserver<Int>()
    _ = connectable.subscribe(recorder)
    // Subscribed before the connection, so it receives each element first.
    let subscription = source.subscribe(onNext: { if $0 == 2 { connection.dispose() } })
    connection.disposable = connectable.connect()
    source.onNext(1)
    source.onNext(2)
    subscription.dispose()
    #expect(recorder.events == [.next(1)])
  }
}
