import RxLite
import RxLiteTesting
import Testing

@Suite("never")
struct NeverTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("nothing is sent, and disposal is recorded")
  func never() {
    var isDisposed = false
    let observer = scheduler.start { Observable<Int>.never().do(onDispose: { isDisposed = true }) }
    #expect(observer.events == [])
    #expect(isDisposed)
  }
}
