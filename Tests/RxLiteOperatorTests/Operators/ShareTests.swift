import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("share")
struct ShareTests {
  private let scheduler = TestScheduler(initialClock: 0)

  /// Subscribes at the first time of each pair and disposes at the second.
  private func observe(
    _ sequence: Observable<Int>, _ times: (TestTime, TestTime)...
  ) -> [[Recorded<Event<Int>>]] {
    let observers = times.map { begin, end in
      let observer = scheduler.createObserver(Int.self)
      scheduler.scheduleAt(begin) {
        let subscription = sequence.subscribe(observer)
        self.scheduler.scheduleAt(end, action: subscription.dispose)
      }
      return observer
    }
    scheduler.start()
    return observers.map(\.events)
  }

  @Test("all observers share one subscription, from the first to the last")
  func refCount() {
    let source = scheduler.hot(.next(210, 1), .next(230, 2), .next(250, 3), .next(270, 4))
    let events = observe(source.share(), (200, 240), (220, 260))
    #expect(events == [[.next(210, 1), .next(230, 2)], [.next(230, 2), .next(250, 3)]])
    #expect(source.subscriptions == [Subscription(200, 260)])
  }

  @Test("an observer after the last disposal connects anew", arguments: [0, 1], SubjectScope.allCases)
  func reconnects(replay: Int, scope: SubjectScope) {
    let source = scheduler.cold(.next(10, 1), .next(20, 2), .next(30, 3))
    let events = observe(source.share(replay: replay, scope: scope.value), (200, 225), (300, 315))
    let kept: [Recorded<Event<Int>>] = replay == 1 && scope == .forever ? [.next(300, 2)] : []
    #expect(events == [[.next(210, 1), .next(220, 2)], kept + [.next(310, 1)]])
    #expect(source.subscriptions == [Subscription(200, 225), Subscription(300, 315)])
  }

  enum SubjectScope: CaseIterable, Sendable {
    case whileConnected, forever
    var value: SubjectLifetimeScope { self == .forever ? .forever : .whileConnected }
  }

  @Test("a later observer first receives the replayed elements", arguments: 0...3)
  func replays(count: Int) {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .next(230, 3), .completed(250))
    let events = observe(source.share(replay: count), (200, 1000), (225, 1000))
    #expect(events[0] == [.next(210, 1), .next(220, 2), .next(230, 3), .completed(250)])
    let replayed: [Recorded<Event<Int>>] = [.next(225, 1), .next(225, 2)].suffix(count)
    #expect(events[1] == replayed + [.next(230, 3), .completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
  }

  @Test("a negative number replays nothing", arguments: SubjectScope.allCases)
  func negative(scope: SubjectScope) {
    let source = scheduler.hot(.next(210, 1), .next(230, 2))
    let events = observe(source.share(replay: -1, scope: scope.value), (200, 240), (220, 240))
    #expect(events == [[.next(210, 1), .next(230, 2)], [.next(230, 2)]])
    #expect(source.subscriptions == [Subscription(200, 240)])
  }

  @Test(
    "after the end an observer connects anew, or with the scope forever receives only the replay",
    arguments: SubjectScope.allCases)
  func afterTheEnd(scope: SubjectScope) {
    let source = scheduler.cold(.next(10, 1), .next(20, 2), .completed(30))
    let events = observe(source.share(replay: 1, scope: scope.value), (200, 1000), (300, 1000))
    #expect(events[0] == [.next(210, 1), .next(220, 2), .completed(230)])
    if scope == .forever {
      #expect(events[1] == [.next(300, 2), .completed(300)])
    } else {
      #expect(events[1] == [.next(310, 1), .next(320, 2), .completed(330)])
      #expect(source.subscriptions == [Subscription(200, 230), Subscription(300, 330)])
    }
  }

  @Test(
    "after the end nothing connects anew with the scope forever and no replay",
    arguments: [false, true])
  func endsForEver(fails: Bool) {
    func end(_ time: TestTime) -> Recorded<Event<Int>> {
      fails ? .error(time, TestError.one) : .completed(time)
    }
    let source = scheduler.cold(.next(10, 1), end(20))
    let events = observe(source.share(scope: .forever), (200, 1000), (300, 1000))
    #expect(events == [[.next(210, 1), end(220)], [end(300)]])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test("after an error an observer connects anew")
  func afterAnError() {
    let source = scheduler.cold(.next(10, 1), .error(20, TestError.one))
    let events = observe(source.share(replay: 1), (200, 1000), (300, 1000))
    #expect(
      events == [[.next(210, 1), .error(220, TestError.one)], [.next(310, 1), .error(320, TestError.one)]])
    #expect(source.subscriptions == [Subscription(200, 220), Subscription(300, 320)])
  }

  @Test("retry above a shared sequence connects anew")
  func retried() {
    let source = scheduler.cold(.next(10, 1), .error(20, TestError.one))
    let events = observe(source.share().retry(2), (200, 1000))
    #expect(events == [[.next(210, 1), .next(230, 1), .error(240, TestError.one)]])
    #expect(source.subscriptions == [Subscription(200, 220), Subscription(220, 240)])
  }

  @Test("a source that sends and ends at once sends all events to the first observer")
  func synchronous() {
    var subscriptions = 0
    let shared = Observable<Int>.deferred {
      subscriptions += 1
      return .of(1, 2)
    }.share(replay: 1)
    for round in 1...2 {
      let recorder = RecordingObserver<Int>()
      _ = shared.subscribe(recorder)
      #expect(recorder.events == [.next(1), .next(2), .completed])
      #expect(subscriptions == round)
    }
  }

  @Test(
    "the source is disposed after the end is delivered, but before with a scope of forever or a replay of 2",
    arguments: 0...2)
  func disposedAtTheEnd(replay: Int) {
    for scope in [SubjectLifetimeScope.whileConnected, .forever] {
      let log = Log()
      let subject = PublishSubject<Int>()
      let shared = subject.do(onDispose: { log.add("disposed") }).share(replay: replay, scope: scope)
      _ = shared.subscribe { log.add("\($0)") }
      subject.onCompleted()
      let isOptimised = scope == .whileConnected && replay < 2
      #expect(log.lines == (isOptimised ? ["completed", "disposed"] : ["disposed", "completed"]))
    }
  }

  @Test("disposing twice counts once")
  func disposedTwice() {
    let subject = PublishSubject<Int>()
    let shared = subject.share()
    let first = shared.subscribe()
    let second = shared.subscribe()
    first.dispose()
    first.dispose()
    #expect(subject.hasObservers)
    second.dispose()
    #expect(!subject.hasObservers)
  }

  @Test("an observer of a connection that has ended does not count in the next one", arguments: 0...2)
  func leavesTheNext(replay: Int) {
    let source = scheduler.cold(.next(10, 1), .error(20, TestError.one))
    let shared = source.share(replay: replay)
    let observers = (0..<3).map { _ in scheduler.createObserver(Int.self) }
    let subscriptions = (0..<3).map { _ in SerialDisposable() }
    // The first observer connects anew from inside the error, before the second has received it.
    scheduler.scheduleAt(200) { subscriptions[0].disposable = shared.retry().subscribe(observers[0]) }
    scheduler.scheduleAt(205) { subscriptions[1].disposable = shared.subscribe(observers[1]) }
    scheduler.scheduleAt(225) { subscriptions[2].disposable = shared.subscribe(observers[2]) }
    scheduler.scheduleAt(235, action: subscriptions[2].dispose)
    scheduler.scheduleAt(255, action: subscriptions[0].dispose)
    scheduler.start()
    #expect(observers[0].events == [.next(210, 1), .next(230, 1), .next(250, 1)])
    #expect(observers[1].events == [.next(210, 1), .error(220, TestError.one)])
    #expect(observers[2].events == [.next(230, 1)])
    #expect(
      source.subscriptions == [Subscription(200, 220), Subscription(220, 240), Subscription(240, 255)])
  }
}
