import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("skip(while:)")
struct SkipWhileTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func source() -> TestableObservable<Int> {
    scheduler.hot(.next(150, 0), .next(210, 1), .next(220, 2), .next(230, 3), .next(240, 1), .completed(250))
  }

  @Test("elements are dropped while they satisfy the predicate, which is not called afterwards")
  func skipsWhile() {
    let source = source()
    var calls: [Int] = []
    let observer = scheduler.start {
      source.skip(while: { element in
        calls.append(element)
        return element < 3
      })
    }
    #expect(observer.events == [.next(230, 3), .next(240, 1), .completed(250)])
    #expect(calls == [1, 2, 3])
  }

  @Test("an error that the predicate throws ends it")
  func predicateThrows() {
    let source = source()
    let observer = scheduler.start {
      source.skip(while: { if $0 == 2 { throw TestError.one } else { true } })
    }
    #expect(observer.events == [.error(220, TestError.one)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }
}
