import Dispatch
import RxLite
import RxLiteTesting
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("TestScheduler")
struct TestSchedulerTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("start creates the sequence at 100, subscribes at 200 and disposes at 1000")
  func startDefaults() {
    var made: [TestTime] = []
    let source = scheduler.createHotObservable([.next(199, 1), .next(200, 2), .next(1000, 3)])
    let observer = scheduler.start {
      made.append(self.scheduler.clock)
      return source
    }
    #expect(made == [100])
    #expect(source.subscriptions == [Subscription(200, 1000)])
    // Actions run in the order of scheduling: the events of 200 and 1000 precede the subscription and the
    // disposal.
    #expect(observer.events == [.next(1000, 3)])
  }

  @Test("start disposes at the given time")
  func startDisposed() {
    let source = scheduler.createHotObservable([.next(250, 1), .next(350, 2)])
    let observer = scheduler.start(disposed: 300) { source }
    #expect(observer.events == [.next(250, 1)])
    #expect(source.subscriptions == [Subscription(200, 300)])
  }

  @Test("start accepts all three times")
  func startAllTimes() {
    var made: [TestTime] = []
    let source = scheduler.createHotObservable([.next(15, 1), .next(25, 2), .next(35, 3)])
    let observer = scheduler.start(created: 10, subscribed: 20, disposed: 30) {
      made.append(self.scheduler.clock)
      return source
    }
    #expect(made == [10])
    #expect(observer.events == [.next(25, 2)])
    #expect(source.subscriptions == [Subscription(20, 30)])
  }

  @Test("work that is scheduled for now or the past runs one tick later")
  func processingDelay() {
    #expect(timesOfImmediateWork(scheduler) == [11, 11, 13])
    #expect(scheduler.adjustScheduledTime(13) == 14)
    #expect(scheduler.adjustScheduledTime(14) == 14)
  }

  @Test("without a processing delay work runs at its time")
  func noProcessingDelay() {
    let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
    #expect(timesOfImmediateWork(scheduler) == [10, 10, 13])
    #expect(scheduler.adjustScheduledTime(5) == 13)
    #expect(scheduler.adjustScheduledTime(14) == 14)
  }

  /// Schedules work at tick 10 for now, two ticks earlier and three ticks later, and runs the clock to 13.
  ///
  /// - Returns: The times at which the work runs.
  private func timesOfImmediateWork(_ scheduler: TestScheduler) -> [TestTime] {
    var times: [TestTime] = []
    let note = { (_: Void) -> any Disposable in
      times.append(scheduler.clock)
      return Disposables.create()
    }
    scheduler.scheduleAt(10) {
      _ = scheduler.schedule((), action: note)
      _ = scheduler.scheduleRelative((), dueTime: .seconds(-2), action: note)
      _ = scheduler.scheduleRelative((), dueTime: .seconds(3), action: note)
    }
    scheduler.advanceTo(13)
    return times
  }

  @Test(
    "the resolution is the length of a tick in seconds",
    arguments: [(1.0, 3), (0.1, 30), (0.001, 3_000), (2.0, 2)])
  func resolution(seconds: Double, ticks: Int) {
    let scheduler = TestScheduler(initialClock: 0, resolution: seconds)
    var times: [TestTime] = []
    _ = scheduler.scheduleRelative((), dueTime: .seconds(3)) { _ in
      times.append(scheduler.clock)
      return Disposables.create()
    }
    scheduler.start()
    #expect(times == [ticks])
    #expect(abs(scheduler.now.timeIntervalSince1970 - Double(ticks) * seconds) < 1e-6)
  }

  @Test("a span is exact although a tick is shorter than the resolution of a date")
  func fineResolution() {
    let scheduler = TestScheduler(initialClock: 200, resolution: 1e-9)
    var times: [TestTime] = []
    _ = scheduler.scheduleRelative((), dueTime: .nanoseconds(50)) { _ in
      times.append(scheduler.clock)
      return Disposables.create()
    }
    scheduler.start()
    #expect(times == [250])
  }

  @Test("a time after the range of the clock is the end of time, not a crash")
  func farFuture() {
    let scheduler = TestScheduler(initialClock: 0, resolution: 1e-9)
    let action = scheduler.scheduleRelative((), dueTime: .seconds(.max)) { _ in Disposables.create() }
    #expect(scheduler.debugDescription.contains("\(Int.max)"))
    action.dispose()
  }

  @Test("an event after the range of the clock occurs at the end of time, and so does the work that follows")
  func endOfTime() {
    let source = scheduler.createColdObservable([.next(10, 1), .next(.max, 2)])
    let observer = scheduler.createObserver(Int.self)
    scheduler.scheduleAt(200) { _ = source.observe(on: self.scheduler).subscribe(observer) }
    scheduler.start()
    #expect(observer.events == [.next(211, 1), .next(.max, 2)])
  }

  @Test("a time before the range of the clock is the next tick")
  func farPast() {
    let scheduler = TestScheduler(initialClock: 0, resolution: 1e-9)
    var times: [TestTime] = []
    _ = scheduler.scheduleRelative((), dueTime: .seconds(.min)) { _ in
      times.append(scheduler.clock)
      return Disposables.create()
    }
    scheduler.start()
    #expect(times == [1])
  }

  @Test("scheduleAt runs at exactly the given time")
  func scheduleAt() {
    var times: [TestTime] = []
    scheduler.scheduleAt(0) { times.append(self.scheduler.clock) }
    scheduler.scheduleAt(10) {
      times.append(self.scheduler.clock)
      self.scheduler.scheduleAt(10) { times.append(self.scheduler.clock) }
    }
    scheduler.start()
    #expect(times == [0, 10, 10])
  }

  @Test("several sequences are recorded at the same time, until 1000 or a given time")
  func record() {
    let hot = scheduler.createHotObservable([.next(10, 1), .next(999, 2), .next(1001, 3)])
    let clock = Observable<Int>.interval(.seconds(400), scheduler: scheduler)
    let (first, second) = (scheduler.record(hot), scheduler.record(clock))
    let short = scheduler.record(hot, disposed: 500)
    #expect(first.events == [])
    scheduler.start()
    #expect(first.events == [.next(10, 1), .next(999, 2)])
    #expect(second.events == [.next(400, 0), .next(800, 1)])
    #expect(short.events == [.next(10, 1)])
    #expect(hot.subscriptions == [Subscription(0, 1000), Subscription(0, 500)])
  }

  @Test("an observer records events with their times")
  func observer() {
    let observer = scheduler.createObserver(String.self)
    scheduler.scheduleAt(10) { observer.onNext("a") }
    scheduler.scheduleAt(20) { observer.onCompleted() }
    scheduler.start()
    #expect(observer.events == [.next(10, "a"), .completed(20)])
  }

  @Test("nothing is left of a test after its end")
  func releases() {
    weak var scheduler: TestScheduler?
    weak var hot: TestableObservable<Int>?
    weak var cold: TestableObservable<Int>?
    do {
      let made = TestScheduler(initialClock: 0)
      let sources = [[.next(210, 1)], [.next(10, 1)]] as [[Recorded<Event<Int>>]]
      let (first, second) = (made.createHotObservable(sources[0]), made.createColdObservable(sources[1]))
      (scheduler, hot, cold) = (made, first, second)
      #expect(made.start { first }.events == [.next(210, 1)])
      #expect(
        made.start(created: 1100, subscribed: 1200, disposed: 2000) { second }.events == [.next(1210, 1)])
      #expect(scheduler != nil && hot != nil && cold != nil)
    }
    #expect(scheduler == nil && hot == nil && cold == nil)
  }
}
