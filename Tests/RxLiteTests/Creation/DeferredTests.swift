import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("deferred")
struct DeferredTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("its sequence is created anew for each subscription")
  func anew() {
    var made = 0
    let sequence = Observable<Int>.deferred {
      made += 1
      return .just(made)
    }
    #expect(made == 0)
    for round in 1...2 {
      let recorder = RecordingObserver<Int>()
      _ = sequence.subscribe(recorder)
      #expect(recorder.events == [.next(round), .completed])
    }
  }

  @Test("its sequence is subscribed to with it, and disposed at its end", arguments: [false, true])
  func subscription(fails: Bool) {
    let end: Recorded<Event<Int>> = fails ? .error(50, TestError.one) : .completed(50)
    var times: [TestTime] = []
    let source = scheduler.cold(.next(10, 1), end)
    let observer = scheduler.start {
      Observable<Int>.deferred {
        times.append(scheduler.clock)
        return source.asObservable()
      }
    }
    #expect(times == [200])
    #expect(observer.events == [.next(210, 1), fails ? .error(250, TestError.one) : .completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
  }

  @Test("disposal ends it")
  func disposed() {
    let source = scheduler.hot(.next(210, 1), .next(230, 2))
    #expect(
      scheduler.start(disposed: 220) { Observable.deferred { source.asObservable() } }.events == [
        .next(210, 1)
      ])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test("an error that the factory throws ends it")
  func throwing() {
    #expect(
      scheduler.start { Observable<Int>.deferred { throw TestError.one } }.events == [
        .error(200, TestError.one)
      ])
  }
}
