import RxLite
import RxLiteTesting
import Testing

@Suite("just, of, from, range, empty, never, error and deferred")
struct CreationTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("elements and the end come at subscription")
  func atOnce() {
    let all: [(Observable<Int>, [Event<Int>])] = [
      (.just(1), [.next(1), .completed]),
      (.of(1, 2), [.next(1), .next(2), .completed]),
      (.from([1, 2]), [.next(1), .next(2), .completed]),
      (.from(Set([1])), [.next(1), .completed]),
      (.from([]), [.completed]),
      (.from(optional: 1), [.next(1), .completed]),
      (.from(optional: nil), [.completed]),
      (.range(start: 1, count: 2), [.next(1), .next(2), .completed]),
      (.range(start: 1, count: 0), [.completed]),
      (.range(start: .max, count: 1), [.next(.max), .completed]),
      (.empty(), [.completed]),
      (.error(TestError.one), [.error(TestError.one)]),
      (.never(), []),
    ]
    for (sequence, events) in all {
      for _ in 1...2 {
        let probe = Probe<Int>()
        _ = sequence.subscribe(probe)
        #expect(probe.events == events)
      }
    }
  }

  @Test("on a scheduler each element and the end take a step of their own")
  func scheduled() {
    let all: [Observable<Int>] = [
      .of(1, 2, scheduler: scheduler), .from([1, 2], scheduler: scheduler),
      .from(1...2, scheduler: scheduler), .range(start: 1, count: 2, scheduler: scheduler),
    ]
    for sequence in all {
      let start = scheduler.clock
      let observer = scheduler.start(created: start, subscribed: start + 200, disposed: start + 1000) {
        sequence
      }
      #expect(
        observer.events == [.next(start + 201, 1), .next(start + 202, 2), .completed(start + 203)])
    }
  }

  @Test("just on a scheduler sends, then ends")
  func justScheduled() {
    let scheduler = scheduler
    let observer = scheduler.start { Observable.just(42, scheduler: scheduler) }
    #expect(observer.events == [.next(201, 42), .completed(202)])
  }

  @Test("disposal ends the steps on a scheduler", arguments: [201, 203])
  func scheduledAndDisposed(time: TestTime) {
    let scheduler = scheduler
    let observer = scheduler.start(disposed: time) {
      Observable.range(start: 0, count: 100, scheduler: scheduler)
    }
    #expect(observer.events == (201..<time + 1).filter { $0 < time }.map { .next($0, $0 - 201) })
  }

  @Test("deferred makes its sequence anew for each subscription")
  func deferred() {
    var made = 0
    let sequence = Observable<Int>.deferred {
      made += 1
      return .just(made)
    }
    #expect(made == 0)
    for round in 1...2 {
      let probe = Probe<Int>()
      _ = sequence.subscribe(probe)
      #expect(probe.events == [.next(round), .completed])
    }
  }

  @Test("what the factory of deferred throws is the error")
  func deferredThrows() {
    #expect(
      scheduler.start { Observable<Int>.deferred { throw TestError.one } }.events == [
        .error(200, TestError.one)
      ])
  }

  @Test("a deferred sequence is subscribed and disposed with its observer")
  func deferredSubscription() {
    let source = scheduler.hot(.next(210, 1))
    #expect(
      scheduler.start(disposed: 220) { Observable.deferred { source.asObservable() } }.events == [
        .next(210, 1)
      ])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }
}
