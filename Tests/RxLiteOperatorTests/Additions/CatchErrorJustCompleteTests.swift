import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("catchErrorJustComplete")
struct CatchErrorJustCompleteTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("an error becomes completion; other events are forwarded", arguments: [false, true])
  func completes(isError: Bool) {
    let source = scheduler.hot(
      .next(210, 1), isError ? .error(220, TestError.one) : .completed(220))
    let observer = scheduler.start { source.catchErrorJustComplete() }
    #expect(observer.events == [.next(210, 1), .completed(220)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test("disposal disposes the source")
  func disposed() {
    let source = scheduler.hot(.next(210, 1), .error(220, TestError.one))
    let observer = scheduler.start(disposed: 215) { source.catchErrorJustComplete() }
    #expect(observer.events == [.next(210, 1)])
    #expect(source.subscriptions == [Subscription(200, 215)])
  }

  @Test("maybes and completables complete in the same way")
  func traits() {
    let (maybe, completable) = (RecordingObserver<Int>(), RecordingObserver<Never>())
    _ = Maybe<Int>.error(TestError.one).catchErrorJustComplete().asObservable().subscribe(maybe)
    _ = Completable.error(TestError.one).catchErrorJustComplete().asObservable().subscribe(completable)
    #expect(maybe.events == [.completed])
    #expect(completable.events.count == 1)
    #expect(completable.events.first?.isCompleted == true)
  }
}
