import Foundation
import RxLite
import RxLiteTesting
import Testing

/// The system clock may be set back; the timers of a queue continue.
@Suite("Clocks that are set back")
struct ClockSetBackTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func elements(
    _ times: [Int], setBackAt steps: [Int], by seconds: Double = 3_600,
    _ apply: @escaping (Observable<Int>, any SchedulerType) -> Observable<Int>
  ) -> [Recorded<Event<Int>>] {
    let clock = SettableClock(scheduler)
    let source = scheduler.createHotObservable(times.map { .next($0, $0) })
    for time in steps { scheduler.scheduleAt(time) { clock.setBack += seconds } }
    return scheduler.start(disposed: 20_000) { apply(source.asObservable(), clock) }.events
  }

  @Test("a clock set back by an hour does not change when delayed elements arrive")
  func delay() {
    let events = elements([210, 211, 215, 300], setBackAt: [216]) { $0.delay(.seconds(10), scheduler: $1) }
    #expect(events == [.next(220, 210), .next(221, 211), .next(225, 215), .next(310, 300)])
  }

  @Test(
    "a clock set back by some seconds does not change when delayed elements arrive", arguments: [12, 40.0])
  func delay(by seconds: Double) {
    let events = elements([210, 211, 215, 300], setBackAt: [216], by: seconds) {
      $0.delay(.seconds(10), scheduler: $1)
    }
    #expect(events == [.next(220, 210), .next(221, 211), .next(225, 215), .next(310, 300)])
  }

  @Test("an element that arrives after the clock was set back keeps its whole delay")
  func delayAfterStep() {
    let events = elements([210, 211, 215, 217, 300], setBackAt: [216]) {
      $0.delay(.seconds(10), scheduler: $1)
    }
    #expect(
      events == [.next(220, 210), .next(221, 211), .next(225, 215), .next(227, 217), .next(310, 300)])
  }

  @Test("a clock set back several times does not change when delayed elements arrive")
  func delayOften() {
    let times = Array(210..<240)
    let events = elements(times, setBackAt: [300, 312, 320]) { $0.delay(.seconds(100), scheduler: $1) }
    #expect(events == times.map { .next($0 + 100, $0) })
  }

  @Test("throttle restarts its span instead of waiting for an hour", arguments: [true, false])
  func throttle(latest: Bool) {
    let events = elements([210, 212, 214, 230, 231, 250], setBackAt: [213]) {
      $0.throttle(.seconds(10), latest: latest, scheduler: $1)
    }
    #expect(
      events.compactMap(\.value.element) == (latest ? [210, 214, 230, 231, 250] : [210, 230, 250]))
    #expect(events.map(\.time) == (latest ? [210, 220, 230, 240, 250] : [210, 230, 250]))
  }

  @Test("an element that throttle holds waits for at most one whole span")
  func throttleHolds() {
    let events = elements([210, 214], setBackAt: [213]) { $0.throttle(.seconds(10), scheduler: $1) }
    #expect(events == [.next(210, 210), .next(224, 214)])
  }
}
