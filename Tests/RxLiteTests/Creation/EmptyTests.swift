import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("empty")
struct EmptyTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("completion is sent at each subscription")
  func empty() {
    for _ in 1...2 {
      let recorder = RecordingObserver<Int>()
      _ = Observable<Int>.empty().subscribe(recorder)
      #expect(recorder.events == [.completed])
    }
    #expect(scheduler.start { Observable<Int>.empty() }.events == [.completed(200)])
  }
}
