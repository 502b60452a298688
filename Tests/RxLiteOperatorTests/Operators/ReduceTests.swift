import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("reduce")
struct ReduceTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func source(_ stop: Recorded<Event<Int>> = .completed(250)) -> TestableObservable<Int> {
    scheduler.hot(.next(150, 9), .next(210, 1), .next(220, 2), .next(230, 3), stop)
  }

  @Test("the result is sent on completion")
  func result() {
    let source = source()
    #expect(
      scheduler.start { source.reduce(10, accumulator: +) }.events == [.next(250, 16), .completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
  }

  @Test("without elements the seed is the result")
  func empty() {
    let source = scheduler.hot(.next(150, 9), .completed(250))
    #expect(
      scheduler.start { source.reduce(10, accumulator: +) }.events == [.next(250, 10), .completed(250)])
  }

  @Test("the result can be mapped")
  func mapped() {
    let source = source()
    let observer = scheduler.start { source.reduce(10, accumulator: +, mapResult: { "\($0)" }) }
    #expect(observer.events == [.next(250, "16"), .completed(250)])
  }

  @Test("an error is sent without a result")
  func error() {
    let source = source(.error(250, TestError.one))
    #expect(scheduler.start { source.reduce(0, accumulator: +) }.events == [.error(250, TestError.one)])
    #expect(source.subscriptions == [Subscription(200, 250)])
  }

  @Test("nothing is sent before the end")
  func never() {
    let source = scheduler.hot(.next(210, 1))
    #expect(scheduler.start { source.reduce(0, accumulator: +) }.events == [])
    #expect(source.subscriptions == [Subscription(200, 1000)])
  }

  @Test("an error that the accumulator throws ends it")
  func accumulatorThrows() {
    let source = source()
    let observer = scheduler.start {
      source.reduce(0) { sum, element in if element == 2 { throw TestError.one } else { sum + element } }
    }
    #expect(observer.events == [.error(220, TestError.one)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test("an error that the mapping throws ends it")
  func mappingThrows() {
    let source = source()
    let observer = scheduler.start {
      source.reduce(0, accumulator: +, mapResult: { _ -> Int in throw TestError.one })
    }
    #expect(observer.events == [.error(250, TestError.one)])
    #expect(source.subscriptions == [Subscription(200, 250)])
  }
}
