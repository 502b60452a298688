import Dispatch
import RxLite
import Testing

@Suite("ConcurrentDispatchQueueScheduler", .timeLimit(.minutes(5)))
struct ConcurrentDispatchQueueSchedulerTests {
  @Test("two actions run at the same time")
  func together() {
    let scheduler = ConcurrentDispatchQueueScheduler(qos: .userInitiated)
    let (first, second, arrival) = (Arrival(), Arrival(), Arrival())
    let log = Log()
    func meet(_ own: Arrival, _ other: Arrival) {
      _ = scheduler.schedule(()) {
        own.arrive()
        if other.waits() { log.add("met") }
        arrival.arrive()
        return Disposables.create()
      }
    }
    meet(first, second)
    meet(second, first)
    #expect(arrival.waits(for: 2))
    #expect(log.lines == ["met", "met"])
  }
}
