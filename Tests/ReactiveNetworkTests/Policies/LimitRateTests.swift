import NetworkCore
import ReactiveNetwork
import RxLite
import RxLiteTesting
import Testing

@Suite("limitRate(_:longestWait:)")
struct LimitRateTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("subscriptions share the limit, in order, and a disposed one leaves the queue")
  func shared() {
    let limit = RateLimit(2, per: .seconds(20), scheduler: scheduler.asDelayScheduler())
    let sources = (0..<5).map { Single.just($0).limitRate(limit) }
    let observers = sources.map { source in
      let observer = scheduler.createObserver(Int.self)
      let subscription = source.asObservable().subscribe(observer)
      return (observer, subscription)
    }
    observers[3].1.dispose()
    scheduler.start()
    #expect(observers.map { $0.0.events.first?.time } == [0, 0, 20, nil, 20])
  }

  @Test("a sequence that waits too long fails without a subscription, and no later one waits for it")
  func tooLong() {
    let limit = RateLimit(1, per: .seconds(50), maxWaiting: 1, scheduler: scheduler.asDelayScheduler())
    let source = scheduler.createColdObservable([.next(1, 1), .completed(2)])
    let results = [source.limitRate(limit), source.limitRate(limit), source.limitRate(limit)].map { source in
      let observer = scheduler.createObserver(Int.self)
      scheduler.scheduleAt(10) { _ = source.subscribe(observer) }
      return observer
    }
    scheduler.start()
    #expect(results[0].events == [.next(11, 1), .completed(12)])
    #expect(results[1].events.map(\.time) == [40])
    #expect(results[1].events.first?.value.error.refusal == .waitedTooLong(.seconds(30)))
    #expect(results[2].events.first?.value.error.refusal == .queueFull(maxWaiting: 1))
    #expect(source.subscriptions == [Subscription(10, 12)])
  }

  @Test("half a minute is the longest wait of a single by default")
  func usualWaitOfSingle() {
    let limit = RateLimit(1, per: .seconds(50), scheduler: scheduler.asDelayScheduler())
    let source = scheduler.createColdObservable([.next(1, 1), .completed(2)])
    scheduler.scheduleAt(190) { _ = source.limitRate(limit).subscribe() }
    let result = scheduler.start { source.asSingle().limitRate(limit).asObservable() }
    #expect(result.events.map(\.time) == [230])
    #expect(result.events.first?.value.error.refusal == .waitedTooLong(.seconds(30)))
    #expect(source.subscriptions == [Subscription(190, 192)])
  }

  @Test("a wait without a limit needs no timer of its own", arguments: [nil, RxTimeInterval.never])
  func unlimitedWait(longestWait: RxTimeInterval?) {
    let time = ManualDelayScheduler()
    let limit = RateLimit(1, per: .seconds(50), scheduler: time)
    _ = Observable.just(1).limitRate(limit).subscribe()
    let waiting = Observable.just(2).limitRate(limit, longestWait: longestWait).subscribe()
    // The next turn of the limit.
    #expect(time.pendingCount == 1)
    waiting.dispose()
  }

  @Test("a single that waits longer than it may fails without a subscription")
  func singleTooLong() {
    let limit = RateLimit(1, per: .seconds(50), scheduler: scheduler.asDelayScheduler())
    let source = scheduler.createColdObservable([.next(1, 1), .completed(2)])
    _ = source.limitRate(limit).subscribe()
    let result = scheduler.start(created: 5, subscribed: 10, disposed: 100) {
      source.asSingle().limitRate(limit, longestWait: .seconds(20)).asObservable()
    }
    #expect(result.events.map(\.time) == [30])
    #expect(result.events.first?.value.error.refusal == .waitedTooLong(.seconds(20)))
    #expect(source.subscriptions == [Subscription(0, 2)])
  }
}
