import Dispatch
import Foundation
import RxLite
import RxLiteTesting
import Testing

/// A thread may be suspended between reading the clock and using the time.
@Suite("Threads that are suspended after they have read the clock")
struct StaleClockReadingTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("a suspended thread does not change the delay of other elements", arguments: [false, true])
  func delay(isSetBack: Bool) {
    let stalling = SettableClock(scheduler)
    let source = PublishSubject<Int>()
    var arrivals: [Recorded<Int>] = []
    let subscription = source.delay(.seconds(20), scheduler: stalling)
      .subscribe(onNext: { arrivals.append(Recorded(time: self.scheduler.clock, value: $0)) })
    for time in [0, 5, 10, 15] {
      scheduler.advanceTo(time)
      source.onNext(time)
    }
    scheduler.advanceTo(19)
    // Meanwhile the timer releases the first two elements.
    stalling.meanwhile = { [scheduler] in
      scheduler.advanceTo(26)
      if isSetBack { stalling.setBack = 3_600 }
    }
    source.onNext(19)
    scheduler.advanceTo(100)
    subscription.dispose()
    #expect(arrivals.map(\.value) == [0, 5, 10, 15, 19])
    // The span of the last element begins when its thread reads the clock.
    #expect(arrivals.map(\.time) == [20, 25, 30, 35, 39])
  }
}
