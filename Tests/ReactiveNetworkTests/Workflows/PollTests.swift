import Dispatch
import ReactiveNetwork
import RxLite
import RxLiteTesting
import Testing

@Suite("poll(every:until:)")
struct PollTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("sends the next request an interval after each response, until an element satisfies the condition")
  func until() {
    let scheduler = scheduler
    var count = 0
    let question = Single<Int>.timer(.seconds(10), scheduler: scheduler).map { _ in
      count += 1
      return count
    }
    let result = scheduler.start {
      question.poll(every: .seconds(20), until: { $0 == 3 }, scheduler: scheduler)
    }
    let expected: [Recorded<Event<Int>>] = [.next(210, 1), .next(240, 2), .next(270, 3), .completed(270)]
    #expect(result.events == expected)
  }

  @Test("jitter shortens an interval by at most its share, and never lengthens it", arguments: [0.25, 7])
  func jitter(share: Double) {
    let source = scheduler.createColdObservable([.next(0, 1), .completed(0)])
    _ = scheduler.start(disposed: 5_000) {
      source.asSingle().poll(every: .seconds(100), jitter: share, scheduler: scheduler)
    }
    let begins = source.subscriptions.map(\.subscribe)
    let waits = zip(begins, begins.dropFirst()).map { $1 - $0 }
    // A virtual time is a whole number, so that each subscription may come one later.
    #expect(waits.allSatisfy { (share < 1 ? 74 : 0)...102 ~= $0 })
    #expect(Set(waits).count > 1)
    #expect(waits.contains { $0 < 75 } == (share > 1))
  }

  @Test("an error that the condition throws ends the sequence")
  func failingCondition() {
    let source = scheduler.createColdObservable([.next(10, 1), .completed(10)])
    let result = scheduler.start {
      source.asSingle()
        .poll(every: .seconds(20), until: { _ in throw RxError.unknown }, scheduler: scheduler)
    }
    #expect(result.events.map(\.time) == [210])
    #expect(result.events.first?.value.error is RxError)
    #expect(source.subscriptions == [Subscription(200, 210)])
  }

  @Test("each subscription sends its first request at once")
  func secondSubscription() {
    let source = scheduler.createColdObservable([.next(10, 1), .completed(10)])
    let answers = source.asSingle().poll(every: .seconds(20), scheduler: scheduler)
    for time in [200, 300] { scheduler.scheduleAt(time) { _ = answers.take(1).subscribe() } }
    scheduler.start()
    #expect(source.subscriptions == [Subscription(200, 210), Subscription(300, 310)])
  }

  @Test("without a condition, runs until it is disposed or fails")
  func endless() {
    let source = scheduler.createColdObservable([.next(10, 1), .completed(10)])
    let result = scheduler.start(disposed: 250) {
      source.asSingle().poll(every: .seconds(20), scheduler: scheduler)
    }
    #expect(result.events == [.next(210, 1), .next(240, 1)])
    #expect(source.subscriptions == [Subscription(200, 210), Subscription(230, 240)])
    let failing = scheduler.createObserver(Int.self)
    _ = Single<Int>.error(RxError.unknown).poll(every: .seconds(1), scheduler: scheduler).subscribe(failing)
    #expect(failing.events.count == 1)
  }
}
