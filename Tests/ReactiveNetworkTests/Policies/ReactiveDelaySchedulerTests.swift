import Dispatch
import Foundation
import ReactiveNetwork
import RxLite
import RxLiteTesting
import Testing

@Suite("Rx schedulers as delay schedulers")
struct ReactiveDelaySchedulerTests {
  @Test("those of dispatch queues measure time as their timers do, by a clock that is never set")
  func uptime() {
    func reading() -> TimeInterval { TimeInterval(DispatchTime.now().uptimeNanoseconds) / 1e9 }
    for scheduler in [MainScheduler.instance, ConcurrentDispatchQueueScheduler(qos: .default)]
      as [any SchedulerType]
    {
      let before = reading()
      let uptime = scheduler.asDelayScheduler().uptime
      #expect((before...reading()).contains(uptime))
    }
  }

  @Test("a virtual one measures virtual time")
  func virtualTime() {
    let scheduler = TestScheduler(initialClock: 0)
    let delays = scheduler.asDelayScheduler()
    let start = delays.uptime
    scheduler.advanceTo(20)
    #expect(delays.uptime - start == 20)
  }
}
