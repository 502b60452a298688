import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("filter")
struct FilterTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func source() -> TestableObservable<Int> {
    scheduler.hot(
      .next(150, 1), .next(210, 1), .next(220, 2), .next(230, 3), .completed(250), .next(260, 5))
  }

  @Test("elements that satisfy the predicate are forwarded", arguments: [[], [1], [1, 3], [1, 2, 3]])
  func elements(passing: [Int]) {
    let source = source()
    let observer = scheduler.start { source.filter { passing.contains($0) } }
    #expect(observer.events == passing.map { .next(200 + $0 * 10, $0) } + [.completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
  }

  @Test("an error is forwarded, and a silent source stays silent", arguments: [false, true])
  func ends(fails: Bool) {
    let source = scheduler.createHotObservable(
      [.next(210, 1)] + (fails ? [.error(220, TestError.one)] : []))
    let observer = scheduler.start { source.filter { _ in false } }
    #expect(observer.events == (fails ? [.error(220, TestError.one)] : []))
    #expect(source.subscriptions == [Subscription(200, fails ? 220 : 1000)])
  }

  @Test("an error that the predicate throws ends the sequence and disposes the source")
  func throwing() {
    let source = source()
    let observer = scheduler.start {
      source.filter { element in
        if element == 2 { throw TestError.two }
        return true
      }
    }
    #expect(observer.events == [.next(210, 1), .error(220, TestError.two)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test("disposal disposes the source, and the predicate is not called afterwards")
  func disposed() {
    let source = source()
    var asked: [Int] = []
    let observer = scheduler.start(disposed: 225) {
      source.filter { element in
        asked.append(element)
        return element == 1
      }
    }
    #expect(observer.events == [.next(210, 1)])
    #expect(source.subscriptions == [Subscription(200, 225)])
    #expect(asked == [1, 2])
  }
}
