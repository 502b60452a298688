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
    func reading() -> Duration { .seconds(Double(DispatchTime.now().uptimeNanoseconds) / 1e9) }
    for scheduler in [MainScheduler.instance, ConcurrentDispatchQueueScheduler(qos: .default)]
      as [any SchedulerType]
    {
      let before = reading()
      let uptime = scheduler.asDelayScheduler().uptime
      #expect((before...reading()).contains(uptime))
    }
  }

  @Test("the longest delay never ends, in virtual time as well")
  func longest() {
    let scheduler = TestScheduler(initialClock: 0)
    let ended = Lock<[Duration]>([])
    let delays = [Duration.seconds(5), Duration.seconds(Int64.max)].map { delay in
      scheduler.asDelayScheduler().schedule(after: delay) { ended.withLock { $0.append(delay) } }
    }
    scheduler.start()
    #expect(ended.withLock { $0 } == [.seconds(5)])
    withExtendedLifetime(delays) {}
  }

  @Test("a virtual one measures virtual time")
  func virtualTime() {
    let scheduler = TestScheduler(initialClock: 0)
    let delays = scheduler.asDelayScheduler()
    let start = delays.uptime
    scheduler.advanceTo(20)
    #expect(delays.uptime - start == .seconds(20))
  }
}
