import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("ifEmpty")
struct IfEmptyTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("an empty source is replaced by the default")
  func byDefault() {
    let source = scheduler.hot(.next(150, 9), .completed(250))
    #expect(scheduler.start { source.ifEmpty(default: 1) }.events == [.next(250, 1), .completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
  }

  @Test("a source with an element is not replaced, nor one that fails")
  func notByDefault() {
    let full = scheduler.hot(.next(210, 2), .completed(250))
    #expect(scheduler.start { full.ifEmpty(default: 1) }.events == [.next(210, 2), .completed(250)])
    let failing = TestScheduler(initialClock: 0)
    let source = failing.hot(.error(250, TestError.one))
    #expect(failing.start { source.ifEmpty(default: 1) }.events == [.error(250, TestError.one)])
  }

  @Test("an empty source is disposed before the other sequence is subscribed to")
  func switches() {
    let source = scheduler.hot(.next(150, 9), .completed(250))
    let other = scheduler.hot(.next(240, 1), .next(260, 2), .completed(270))
    let observer = scheduler.start { source.ifEmpty(switchTo: other.asObservable()) }
    #expect(observer.events == [.next(260, 2), .completed(270)])
    #expect(source.subscriptions == [Subscription(200, 250)])
    #expect(other.subscriptions == [Subscription(250, 270)])
  }

  @Test("a source with an element never switches, nor one that fails", arguments: [false, true])
  func doesNotSwitch(fails: Bool) {
    let stop: Recorded<Event<Int>> = fails ? .error(250, TestError.one) : .completed(250)
    let source = fails ? scheduler.hot(stop) : scheduler.hot(.next(210, 1), stop)
    let other = scheduler.hot(.next(260, 2))
    let observer = scheduler.start { source.ifEmpty(switchTo: other.asObservable()) }
    #expect(observer.events == (fails ? [] : [.next(210, 1)]) + [stop])
    #expect(other.subscriptions == [])
  }

  @Test("an error of the other sequence is forwarded")
  func otherFails() {
    let source = scheduler.hot(.completed(250))
    let other = scheduler.hot(.error(260, TestError.one))
    #expect(
      scheduler.start { source.ifEmpty(switchTo: other.asObservable()) }.events == [
        .error(260, TestError.one)
      ])
    #expect(other.subscriptions == [Subscription(250, 260)])
  }

  @Test("disposal disposes the other sequence")
  func disposed() {
    let (source, other) = (scheduler.hot(.completed(250)), scheduler.hot(.next(260, 1)))
    let observer = scheduler.start(disposed: 300) { source.ifEmpty(switchTo: other.asObservable()) }
    #expect(observer.events == [.next(260, 1)])
    #expect(other.subscriptions == [Subscription(250, 300)])
  }
}
