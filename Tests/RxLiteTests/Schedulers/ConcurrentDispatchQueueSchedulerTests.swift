import Dispatch
import RxLite
@testable import RxLiteTestSupport
import Testing

@Suite("ConcurrentDispatchQueueScheduler", .timeLimit(.minutes(5)))
struct ConcurrentDispatchQueueSchedulerTests {
  @Test("two actions run at the same time")
  func together() {
    let scheduler = ConcurrentDispatchQueueScheduler(qos: .userInitiated)
    let (first, second, semaphore) = (TestSemaphore(), TestSemaphore(), TestSemaphore())
    let log = Log()
    func meet(_ own: TestSemaphore, _ other: TestSemaphore) {
      _ = scheduler.schedule(()) {
        own.signal()
        if other.wait() { log.add("met") }
        semaphore.signal()
        return Disposables.create()
      }
    }
    meet(first, second)
    meet(second, first)
    #expect(semaphore.wait(for: 2))
    #expect(log.lines == ["met", "met"])
  }
}
