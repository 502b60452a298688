import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("withLatestFrom")
struct WithLatestFromTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func source() -> TestableObservable<Int> {
    scheduler.hot(.next(210, 1), .next(220, 2), .next(230, 3), .next(240, 4), .completed(250))
  }

  @Test("an element is paired with the latest element of the other sequence, or dropped if there is none")
  func pairs() {
    let (source, other) = (source(), scheduler.hot(.next(215, 10), .next(225, 20), .next(235, 30)))
    let observer = scheduler.start { source.withLatestFrom(other) { $0 + $1 } }
    #expect(observer.events == [.next(220, 12), .next(230, 23), .next(240, 34), .completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
    #expect(other.subscriptions == [Subscription(200, 250)])
  }

  @Test("without a selector it sends the latest element of the other sequence")
  func withoutSelector() {
    let (source, other) = (source(), scheduler.hot(.next(225, 10)))
    #expect(
      scheduler.start { source.withLatestFrom(other) }.events == [
        .next(230, 10), .next(240, 10), .completed(250),
      ])
  }

  @Test("the latest element of a sequence that has completed remains in use")
  func otherEnds() {
    let (source, other) = (source(), scheduler.hot(.next(225, 10), .completed(226)))
    #expect(
      scheduler.start { source.withLatestFrom(other) }.events == [
        .next(230, 10), .next(240, 10), .completed(250),
      ])
    #expect(other.subscriptions == [Subscription(200, 226)])
  }

  @Test("an error of the other sequence ends it")
  func otherFails() {
    let (source, other) = (source(), scheduler.hot(.next(215, 10), .error(225, TestError.one)))
    #expect(
      scheduler.start { source.withLatestFrom(other) }.events == [
        .next(220, 10), .error(225, TestError.one),
      ])
    #expect(source.subscriptions == [Subscription(200, 225)])
    #expect(other.subscriptions == [Subscription(200, 225)])
  }

  @Test("the other sequence is subscribed to first, so that its first elements count")
  func otherFirst() {
    let recorder = RecordingObserver<Int>()
    let subject = BehaviorSubject(value: 1)
    _ = subject.withLatestFrom(subject) { $0 * 10 + $1 }.take(1).subscribe(recorder)
    #expect(recorder.events == [.next(11), .completed])
  }
}
