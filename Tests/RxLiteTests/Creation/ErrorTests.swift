import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("error")
struct ErrorTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("the error is sent at each subscription")
  func error() {
    let failing = Observable<Int>.error(TestError.two)
    for _ in 1...2 {
      let recorder = RecordingObserver<Int>()
      _ = failing.subscribe(recorder)
      #expect(recorder.events == [.error(TestError.two)])
    }
    #expect(scheduler.start { failing }.events == [.error(200, TestError.two)])
  }
}
