import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("partition")
struct PartitionTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test(
    "each element goes to one of the two sequences, which share a subscription and a call of the predicate")
  func splits() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .next(230, 3), .completed(240))
    var calls = 0
    let (odd, even) = source.partition { number in
      calls += 1
      return !number.isMultiple(of: 2)
    }
    let (matches, others) = (scheduler.createObserver(Int.self), scheduler.createObserver(Int.self))
    scheduler.scheduleAt(200) { _ = odd.subscribe(matches) }
    scheduler.scheduleAt(205) { _ = even.subscribe(others) }
    scheduler.start()
    #expect(matches.events == [.next(210, 1), .next(230, 3), .completed(240)])
    #expect(others.events == [.next(220, 2), .completed(240)])
    #expect(source.subscriptions == [Subscription(200, 240)])
    #expect(calls == 3)
  }

  @Test("a sequence that is subscribed to later receives no earlier element")
  func late() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .next(240, 4), .completed(250))
    let (odd, even) = source.partition { !$0.isMultiple(of: 2) }
    let (matches, others) = (scheduler.createObserver(Int.self), scheduler.createObserver(Int.self))
    scheduler.scheduleAt(200) { _ = odd.subscribe(matches) }
    scheduler.scheduleAt(230) { _ = even.subscribe(others) }
    scheduler.start()
    #expect(matches.events == [.next(210, 1), .completed(250)])
    #expect(others.events == [.next(240, 4), .completed(250)])
  }

  @Test("the maybes of a single share a subscription and a call of the predicate", arguments: [false, true])
  func single(isThrown: Bool) {
    let source = scheduler.cold(.next(10, 1), .completed(10))
    var calls = 0
    let (one, rest) = source.asSingle().partition { number in
      calls += 1
      if isThrown { throw TestError.two }
      return number == 1
    }
    let (match, other) = (scheduler.createObserver(Int.self), scheduler.createObserver(Int.self))
    scheduler.scheduleAt(200) {
      _ = one.asObservable().subscribe(match)
      _ = rest.asObservable().subscribe(other)
    }
    scheduler.start()
    #expect(match.events == (isThrown ? [.error(210, TestError.two)] : [.next(210, 1), .completed(210)]))
    #expect(other.events == [isThrown ? .error(210, TestError.two) : .completed(210)])
    #expect(source.subscriptions == [Subscription(200, 210)])
    #expect(calls == 1)
  }

  @Test("an error ends both, including an error of the predicate", arguments: [false, true])
  func error(isThrown: Bool) {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .error(230, TestError.one))
    let (odd, even) = source.partition { number in
      if isThrown, number == 2 { throw TestError.two }
      return number == 1
    }
    let (matches, others) = (scheduler.createObserver(Int.self), scheduler.createObserver(Int.self))
    scheduler.scheduleAt(200) {
      _ = odd.subscribe(matches)
      _ = even.subscribe(others)
    }
    scheduler.start()
    if isThrown {
      #expect(matches.events == [.next(210, 1), .error(220, TestError.two)])
      #expect(others.events == [.error(220, TestError.two)])
      #expect(source.subscriptions == [Subscription(200, 220)])
    } else {
      #expect(matches.events == [.next(210, 1), .error(230, TestError.one)])
      #expect(others.events == [.next(220, 2), .error(230, TestError.one)])
      #expect(source.subscriptions == [Subscription(200, 230)])
    }
  }

  @Test("the source is disposed with the last of the two sequences")
  func disposed() {
    let source = scheduler.hot(.next(210, 1), .next(250, 2))
    let (odd, even) = source.partition { $0 == 1 }
    let (matches, others) = (scheduler.createObserver(Int.self), scheduler.createObserver(Int.self))
    scheduler.scheduleAt(200) {
      let subscriptions = [odd.subscribe(matches), even.subscribe(others)]
      for (subscription, time) in zip(subscriptions, [220, 240]) {
        scheduler.scheduleAt(time) { subscription.dispose() }
      }
    }
    scheduler.start()
    #expect(matches.events == [.next(210, 1)])
    #expect(others.events == [])
    #expect(source.subscriptions == [Subscription(200, 240)])
  }

  @Test("a nil element goes to one of the two sequences as well")
  func optionals() {
    let recorder = RecordingObserver<Int?>()
    _ = Observable<Int?>.of(1, nil).partition { $0 == nil }.matches.subscribe(recorder)
    #expect(recorder.events == [.next(nil), .completed])
  }

  @Test("infallibles are split in the same way, and a single becomes two maybes")
  func traits() {
    let recorders = (0..<4).map { _ in RecordingObserver<Int>() }
    let (small, large) = Infallible.of(1, 2, 3).partition { $0 < 3 }
    let (match, other) = Single.just(1).partition { $0 == 1 }
    _ = small.asObservable().subscribe(recorders[0])
    _ = large.asObservable().subscribe(recorders[1])
    _ = match.asObservable().subscribe(recorders[2])
    _ = other.asObservable().subscribe(recorders[3])
    #expect(recorders.map(\.elements) == [[1, 2], [3], [1], []])
    #expect(recorders.allSatisfy { $0.events.last == .completed })
  }
}
