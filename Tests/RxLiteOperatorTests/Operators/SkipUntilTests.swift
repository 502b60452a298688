import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("skip(until:)")
struct SkipUntilTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func source() -> TestableObservable<Int> {
    scheduler.hot(.next(150, 0), .next(210, 1), .next(220, 2), .next(230, 3), .completed(250))
  }

  @Test("the first element of the other sequence starts the forwarding and ends its subscription")
  func opens() {
    let (source, other) = (source(), scheduler.hot(.next(215, 9), .error(225, TestError.one)))
    let observer = scheduler.start { source.skip(until: other) }
    #expect(observer.events == [.next(220, 2), .next(230, 3), .completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
    #expect(other.subscriptions == [Subscription(200, 215)])
  }

  @Test("if the other sequence completes without an element, nothing is forwarded, not even completion")
  func otherEnds() {
    let (source, other) = (source(), scheduler.hot(.completed(215)))
    #expect(scheduler.start { source.skip(until: other) }.events == [])
    #expect(source.subscriptions == [Subscription(200, 250)])
    #expect(other.subscriptions == [Subscription(200, 215)])
  }

  @Test("an error of the other sequence before its first element is forwarded")
  func otherFails() {
    let (source, other) = (source(), scheduler.hot(.error(215, TestError.one)))
    #expect(scheduler.start { source.skip(until: other) }.events == [.error(215, TestError.one)])
    #expect(source.subscriptions == [Subscription(200, 215)])
    #expect(other.subscriptions == [Subscription(200, 215)])
  }

  @Test("an error of the source before the trigger is forwarded")
  func sourceFails() {
    let source = scheduler.hot(.next(210, 1), .error(220, TestError.one))
    let other = scheduler.hot(.next(300, 9))
    #expect(scheduler.start { source.skip(until: other) }.events == [.error(220, TestError.one)])
    #expect(other.subscriptions == [Subscription(200, 220)])
  }

  @Test("if the source completes before the trigger, nothing is sent and the other sequence is disposed")
  func sourceEnds() {
    let (source, other) = (source(), scheduler.hot(.next(300, 9)))
    #expect(scheduler.start { source.skip(until: other) }.events == [])
    #expect(source.subscriptions == [Subscription(200, 250)])
    #expect(other.subscriptions == [Subscription(200, 250)])
  }

  @Test("disposal disposes both")
  func disposed() {
    let (source, other) = (source(), scheduler.hot(.next(300, 9)))
    #expect(scheduler.start(disposed: 215) { source.skip(until: other) }.events == [])
    #expect(source.subscriptions == [Subscription(200, 215)])
    #expect(other.subscriptions == [Subscription(200, 215)])
  }

  @Test("an error of the other sequence after the source has completed is ignored")
  func otherFailsTooLate() {
    let observer = scheduler.start {
      Observable<Int>.empty().skip(until: Observable<Int>.error(TestError.one))
    }
    #expect(observer.events == [])
  }
}
