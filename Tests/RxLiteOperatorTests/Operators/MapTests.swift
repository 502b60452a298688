import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("map")
struct MapTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("each element is transformed, also to another type")
  func elements() {
    let source = scheduler.hot(.next(150, 0), .next(210, 1), .next(220, 2), .completed(250), .next(260, 3))
    let observer = scheduler.start { source.map { "\($0 * 10)" } }
    #expect(observer.events == [.next(210, "10"), .next(220, "20"), .completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
  }

  @Test("nil results are forwarded")
  func optionals() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .completed(250))
    let observer = scheduler.start { source.map { $0 == 2 ? nil : $0 } }
    #expect(observer.events == [.next(210, 1), .next(220, nil), .completed(250)])
  }

  @Test(
    "the closure is not called for completion, for an error or in silence",
    arguments: [0, 1, 2])
  func none(ending: Int) {
    let ends: [[Recorded<Event<Int>>]] = [[.completed(250)], [.error(250, TestError.one)], []]
    let source = scheduler.createHotObservable(ends[ending])
    var calls = 0
    let observer = scheduler.start {
      source.map { element in
        calls += 1
        return element
      }
    }
    #expect(observer.events == ends[ending])
    #expect(source.subscriptions == [Subscription(200, ending == 2 ? 1000 : 250)])
    #expect(calls == 0)
  }

  @Test("an error that the closure throws ends the sequence and disposes the source")
  func throwing() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .next(230, 3), .completed(250))
    let observer = scheduler.start {
      source.map { element in
        if element == 2 { throw TestError.two }
        return element
      }
    }
    #expect(observer.events == [.next(210, 1), .error(220, TestError.two)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test("disposal disposes the source, and the closure is not called afterwards")
  func disposed() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .next(230, 3))
    var calls: [Int] = []
    let observer = scheduler.start(disposed: 225) {
      source.map { element in
        calls.append(element)
        return -element
      }
    }
    #expect(observer.events == [.next(210, -1), .next(220, -2)])
    #expect(source.subscriptions == [Subscription(200, 225)])
    #expect(calls == [1, 2])
  }

  @Test("several maps compose")
  func composed() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .completed(250))
    let observer = scheduler.start { source.map { $0 + 1 }.map { $0 * 10 }.map { "\($0)" } }
    #expect(observer.events == [.next(210, "20"), .next(220, "30"), .completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
  }
}
