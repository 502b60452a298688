import RxLite
import RxLiteTesting
import Testing

@Suite("empty, never and error")
struct EmptyNeverErrorTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("completion is sent at each subscription")
  func empty() {
    for _ in 1...2 {
      let probe = Probe<Int>()
      _ = Observable<Int>.empty().subscribe(probe)
      #expect(probe.events == [.completed])
    }
    #expect(scheduler.start { Observable<Int>.empty() }.events == [.completed(200)])
  }

  @Test("the error is sent at each subscription")
  func error() {
    let failing = Observable<Int>.error(TestError.two)
    for _ in 1...2 {
      let probe = Probe<Int>()
      _ = failing.subscribe(probe)
      #expect(probe.events == [.error(TestError.two)])
    }
    #expect(scheduler.start { failing }.events == [.error(200, TestError.two)])
  }

  @Test("nothing is sent, and disposal is recorded")
  func never() {
    var isDisposed = false
    let observer = scheduler.start { Observable<Int>.never().do(onDispose: { isDisposed = true }) }
    #expect(observer.events == [])
    #expect(isDisposed)
  }
}
