import Dispatch
import Foundation
import ReactiveNetworkLock
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

  @Test("an infinite delay never ends, in virtual time as well")
  func infinity() {
    let scheduler = TestScheduler(initialClock: 0)
    let ended = Lock<[TimeInterval]>([])
    let delays = [5, .infinity].map { seconds in
      scheduler.asDelayScheduler().schedule(after: seconds) { ended.withLock { $0.append(seconds) } }
    }
    scheduler.start()
    #expect(ended.withLock { $0 } == [5])
    withExtendedLifetime(delays) {}
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
