import Dispatch
import RxLite
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("HistoricalScheduler", .timeLimit(.minutes(5)))
struct HistoricalSchedulerTests {
  // The reference date is 0 inside a `Date`: small spans from it are exact.
  private let scheduler = HistoricalScheduler(initialClock: Date(timeIntervalSinceReferenceDate: 0))

  private var clock: Double { scheduler.clock.timeIntervalSinceReferenceDate }

  @Test("its clock shows dates")
  func dates() {
    let start = Date(timeIntervalSince1970: 1_000)
    let scheduler = HistoricalScheduler(initialClock: start)
    var times: [Date] = []
    for seconds in [30, 0, 10] {
      _ = scheduler.scheduleRelative((), dueTime: .seconds(seconds)) { _ in
        times.append(scheduler.clock)
        return Disposables.create()
      }
    }
    scheduler.advanceTo(start.addingTimeInterval(60))
    #expect(times == [0, 10, 30].map(start.addingTimeInterval))
    #expect(scheduler.now == start.addingTimeInterval(60))
  }

  @Test("without an initial time, its clock begins in 1970")
  func defaultClock() {
    #expect(HistoricalScheduler().clock == Date(timeIntervalSince1970: 0))
  }

  @Test("a span may be given in any unit")
  func units() {
    var times: [Double] = []
    for span in [RxTimeInterval.seconds(2), .milliseconds(1_500), .microseconds(30), .nanoseconds(400)] {
      _ = scheduler.scheduleRelative((), dueTime: span) {
        times.append(clock)
        return Disposables.create()
      }
    }
    scheduler.start()
    #expect(times == [400 / 1e9, 30 / 1e6, 1.5, 2])
  }

  @Test("virtual spans are seconds and move the clock forward")
  func virtualSpans() {
    var times: [Double] = []
    scheduler.sleep(10)
    #expect(clock == 10)
    _ = scheduler.scheduleRelativeVirtual((), dueTime: 5) {
      times.append(clock)
      return Disposables.create()
    }
    scheduler.start()
    #expect(times == [15])
  }

  @Test("sleeping back in time, and advancing from inside an action, stop the process")
  func preconditions() async {
    await #expect(processExitsWith: .failure) { HistoricalScheduler().sleep(-1) }
    await #expect(processExitsWith: .failure) {
      let scheduler = HistoricalScheduler()
      _ = scheduler.schedule(()) {
        scheduler.advanceTo(Date(timeIntervalSince1970: 1))
        return Disposables.create()
      }
      scheduler.start()
    }
  }
}
