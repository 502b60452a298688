import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("pausable")
struct PausableTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func numbers() -> TestableObservable<Int> {
    scheduler.hot(.next(210, 1), .next(230, 2), .next(250, 3), .next(270, 4), .completed(300))
  }

  @Test("elements are forwarded while the latest element of the pauser is true, and none before its first")
  func passes() {
    let source = numbers()
    let pauser = scheduler.createHotObservable([.next(220, true), .next(240, false), .next(260, true)])
    let observer = scheduler.start { source.pausable(pauser) }
    #expect(observer.events == [.next(230, 2), .next(270, 4), .completed(300)])
    #expect(source.subscriptions == [Subscription(200, 300)])
    #expect(pauser.subscriptions == [Subscription(200, 300)])
  }

  @Test("after completion of the pauser its last element remains in effect")
  func pauserCompletes() {
    let source = numbers()
    let pauser = scheduler.createHotObservable([.next(220, true), .completed(225)])
    let observer = scheduler.start { source.pausable(pauser) }
    #expect(observer.events == [.next(230, 2), .next(250, 3), .next(270, 4), .completed(300)])
    #expect(pauser.subscriptions == [Subscription(200, 225)])
  }

  @Test("an error of either ends it", arguments: [false, true])
  func error(isPausers: Bool) {
    let failing = scheduler.hot(.next(210, 1), .error(230, TestError.one))
    let other = scheduler.hot(.next(205, 1))
    let (source, pauser) = isPausers ? (other, failing) : (failing, other)
    let observer = scheduler.start { source.pausable(pauser.map { $0 == 1 }) }
    #expect(observer.events == (isPausers ? [] : [.next(210, 1)]) + [.error(230, TestError.one)])
    #expect(source.subscriptions == [Subscription(200, 230)])
    #expect(pauser.subscriptions == [Subscription(200, 230)])
  }

  @Test("disposal disposes both")
  func disposed() {
    let (source, pauser) = (numbers(), scheduler.createHotObservable([.next(205, true)]))
    let observer = scheduler.start(disposed: 240) { source.pausable(pauser) }
    #expect(observer.events == [.next(210, 1), .next(230, 2)])
    #expect(source.subscriptions == [Subscription(200, 240)])
    #expect(pauser.subscriptions == [Subscription(200, 240)])
  }

  @Test("a nil element is forwarded as well")
  func optionals() {
    let recorder = RecordingObserver<Int?>()
    _ = Observable<Int?>.of(1, nil).pausable(Observable.just(true)).subscribe(recorder)
    #expect(recorder.events == [.next(1), .next(nil), .completed])
  }

  @Test("infallibles are paused in the same way")
  func infallible() {
    let (open, closed) = (RecordingObserver<Int>(), RecordingObserver<Int>())
    _ = Infallible.of(1, 2).pausable(Infallible.just(true)).asObservable().subscribe(open)
    _ = Infallible.of(1, 2).pausable(Infallible.just(false)).asObservable().subscribe(closed)
    #expect(open.events == [.next(1), .next(2), .completed])
    #expect(closed.events == [.completed])
  }
}
