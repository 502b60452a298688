import Dispatch
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("retry with a policy")
struct RetryWithBackoffTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func attemptTimes(_ behavior: RepeatBehavior, disposed: Int = 1_000) -> [Int] {
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.cold(.error(10, TestError.one))
    let observer = scheduler.start(disposed: disposed) { source.retry(behavior, scheduler: scheduler) }
    let last = source.subscriptions.last?.unsubscribe
    #expect(observer.events == (last == disposed ? [] : last.map { [.error($0, TestError.one)] }))
    return source.subscriptions.map(\.subscribe)
  }

  @Test("without delays, a number of attempts are made and the last one's error is sent")
  func immediate() {
    #expect(attemptTimes(.immediate(maxCount: 3)) == [200, 210, 220])
  }

  @Test("0 attempts count as 1", arguments: [0, 1])
  func fewest(maxCount: UInt) {
    #expect(attemptTimes(.immediate(maxCount: maxCount)) == [200])
    #expect(attemptTimes(.delayed(maxCount: maxCount, time: 5)) == [200])
  }

  @Test("delays can have a fixed length")
  func delayed() {
    #expect(attemptTimes(.delayed(maxCount: 3, time: 5)) == [200, 215, 230])
  }

  @Test("delays can grow by a share of themselves")
  func exponentialDelayed() {
    #expect(
      attemptTimes(.exponentialDelayed(maxCount: 4, initial: 5, multiplier: 1)) == [200, 215, 235, 265])
    #expect(
      attemptTimes(.exponentialDelayed(maxCount: 4, initial: 4, multiplier: 0.5)) == [200, 214, 230, 249])
  }

  @Test("a closure can choose the delay for each attempt; .never retries at once")
  func customTimerDelayed() {
    let behavior = RepeatBehavior.customTimerDelayed(maxCount: 4) { attempt in
      attempt == 2 ? .never : .seconds(Int(attempt) * 10)
    }
    #expect(attemptTimes(behavior) == [200, 220, 230, 270])
  }

  @Test("a policy without a maximum retries until disposal, and its delays may become shorter")
  func unlimited() {
    #expect(attemptTimes(.constant(.seconds(20)), disposed: 265) == [200, 230, 260])
    #expect(
      attemptTimes(
        .exponential(initial: .seconds(40), multiplier: 0.5, max: .seconds(60), jitter: 0), disposed: 301)
        == [200, 250, 280, 300])
  }

  @Test("the default delays begin at half a second and double up to half a minute")
  func usualWaits() {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.1)
    let source = scheduler.cold(.error(10, TestError.one))
    _ = scheduler.start(disposed: 1_200) { source.retry(.exponential(jitter: 0), scheduler: scheduler) }
    // Attempts of 10 with delays of 5, 10, 20, 40, 80, 160, 300 and 300 between them.
    #expect(source.subscriptions.map(\.subscribe) == [200, 215, 235, 265, 315, 405, 575, 885, 1_195])
  }

  @Test("delays of more than half a minute are kept if the policy has no limit for them")
  func longDelays() {
    #expect(attemptTimes(.constant(.seconds(40)), disposed: 305) == [200, 250, 300])
    #expect(attemptTimes(.delayed(maxCount: 3, time: 100)) == [200, 310, 420])
    #expect(
      attemptTimes(.exponentialDelayed(maxCount: 4, initial: 50, multiplier: 1)) == [200, 260, 370, 580])
  }

  @Test("jitter also shortens delays that have reached their limit, and not always by the same amount")
  func jitterAtTheLimit() {
    // Without the limit, the second delay would be at least 500.
    let behavior = RepeatBehavior.exponential(
      initial: .seconds(1), multiplier: 1_000, max: .seconds(100), jitter: 0.5)
    let thirdAttempts: [Int] = (0..<20).map { _ in
      let scheduler = TestScheduler(initialClock: 0)
      let source = scheduler.cold(.error(10, TestError.one))
      _ = scheduler.start(disposed: 330) { source.retry(behavior, scheduler: scheduler) }
      return source.subscriptions.last?.subscribe ?? 0
    }
    #expect(thirdAttempts.allSatisfy { (271...321).contains($0) })
    #expect(Set(thirdAttempts).count > 1)
  }

  @Test("with a factor of 0 or less, only the second attempt is delayed", arguments: [-1.0, -2.0])
  func onlyFirstDelay(multiplier: Double) {
    #expect(
      attemptTimes(.exponentialDelayed(maxCount: 4, initial: 20, multiplier: multiplier)) == [
        200, 230, 241, 252,
      ])
  }

  @Test("an infinite delay never ends; NaN and negative delays count as none")
  func strange() {
    // The disposal may come during a wait.
    func attemptTimes(_ behavior: RepeatBehavior) -> [Int] {
      let scheduler = TestScheduler(initialClock: 0)
      let source = scheduler.cold(.error(10, TestError.one))
      _ = scheduler.start(disposed: 300) { source.retry(behavior, scheduler: scheduler) }
      return source.subscriptions.map(\.subscribe)
    }
    for number in [Double.infinity, -.infinity, .nan] {
      let isEndless = number == .infinity
      #expect(attemptTimes(.delayed(maxCount: 2, time: number)) == (isEndless ? [200] : [200, 211]))
      #expect(
        attemptTimes(.exponentialDelayed(maxCount: 3, initial: 1, multiplier: number))
          == (isEndless ? [200, 211] : [200, 211, 222]))
      #expect(
        attemptTimes(.exponential(initial: .never, multiplier: number, max: .never, jitter: number)) == [200])
    }
  }

  @Test("elements of all attempts are forwarded, and a success ends it")
  func success() {
    let failing = scheduler.cold(.next(10, 1), .error(20, TestError.one))
    let last = scheduler.cold(.next(10, 2), .completed(20))
    var attempts = 0
    let observer = scheduler.start {
      Observable.deferred {
        attempts += 1
        return attempts < 3 ? failing.asObservable() : last.asObservable()
      }
      .retry(.delayed(maxCount: 9, time: 5), scheduler: scheduler)
    }
    #expect(observer.events == [.next(210, 1), .next(235, 1), .next(260, 2), .completed(270)])
    #expect(failing.subscriptions == [Subscription(200, 220), Subscription(225, 245)])
    #expect(last.subscriptions == [Subscription(250, 270)])
  }

  @Test("an error that the predicate rejects ends it; it is not called for the last attempt")
  func predicate() {
    let log = Log()
    let source = scheduler.cold(.error(10, TestError.one))
    let refused = scheduler.start(disposed: 400) {
      source.retry(.immediate(maxCount: 9), scheduler: scheduler) { _ in false }
    }
    let recorder = RecordingObserver<Int>()
    _ = Observable<Int>.error(TestError.two).retry(.immediate(maxCount: 3)) { error in
      log.add("\(error)")
      return true
    }.subscribe(recorder)
    #expect(refused.events == [.error(210, TestError.one)])
    #expect(source.subscriptions == [Subscription(200, 210)])
    #expect(log.lines == ["two", "two"])
    #expect(recorder.events == [.error(TestError.two)])
  }

  @Test("disposal during a delay ends it")
  func disposed() {
    let source = scheduler.cold(.error(10, TestError.one))
    let observer = scheduler.start(disposed: 220) {
      source.retry(.delayed(maxCount: 9, time: 50), scheduler: scheduler)
    }
    scheduler.start()
    #expect(observer.events == [])
    #expect(source.subscriptions == [Subscription(200, 210)])
  }

  @Test("each subscription counts its own attempts")
  func anew() {
    var attempts = 0
    let sequence = Observable<Int>.deferred {
      attempts += 1
      return .error(TestError.one)
    }.retry(.immediate(maxCount: 2))
    for _ in 0..<2 { _ = sequence.subscribe() }
    #expect(attempts == 4)
  }

  @Test("many attempts that fail at once do not grow the stack")
  func depth() {
    let recorder = RecordingObserver<Int>()
    var attempts = 0
    onSmallStack {
      _ = Observable<Int>.deferred {
        attempts += 1
        return .error(TestError.one)
      }.retry(.immediate(maxCount: UInt(manyRounds))).subscribe(recorder)
    }
    #expect(attempts == manyRounds)
    #expect(recorder.events == [.error(TestError.one)])
  }

  @Test("singles, maybes and completables retry in the same way")
  func traits() {
    let sources = (0..<3).map { _ in scheduler.cold(.error(10, TestError.one)) }
    let behavior = RepeatBehavior.delayed(maxCount: 2, time: 5)
    let ends = (0..<3).map { _ in scheduler.createObserver(Int.self) }
    _ = sources[0].asSingle().retry(behavior, scheduler: scheduler).asObservable().subscribe(ends[0])
    _ = sources[1].asMaybe().retry(behavior, scheduler: scheduler).asObservable().subscribe(ends[1])
    _ = sources[2].ignoreElements().asCompletable().retry(behavior, scheduler: scheduler)
      .andThen(Observable<Int>.empty()).subscribe(ends[2])
    scheduler.start()
    for (source, end) in zip(sources, ends) {
      #expect(source.subscriptions == [Subscription(0, 10), Subscription(15, 25)])
      #expect(end.events == [.error(25, TestError.one)])
    }
  }

  @Test("the predicate of a trait is called, too")
  func predicateOfTraits() {
    let source = scheduler.cold(.error(10, TestError.one))
    let observer = scheduler.start {
      source.asSingle().retry(.immediate(maxCount: 3), scheduler: scheduler) { _ in false }
    }
    #expect(observer.events == [.error(210, TestError.one)])
    #expect(source.subscriptions == [Subscription(200, 210)])
  }
}
