import Dispatch
import Foundation

/// The time of a scheduler in seconds, from an arbitrary beginning, for policies that measure spans.
///
/// Dispatch's time is monotonic. The time of any other scheduler is that of its clock, which may be set back.
struct SteadyClock: Sendable {
  private let scheduler: any DelayScheduler

  init(_ scheduler: any DelayScheduler) {
    self.scheduler = scheduler
  }

  /// The reading of the clock.
  ///
  /// It runs code of the scheduler, so no lock may be held.
  var reading: TimeInterval {
    scheduler is DispatchDelayScheduler
      ? TimeInterval(DispatchTime.now().uptimeNanoseconds) / 1e9
      : scheduler.now.timeIntervalSinceReferenceDate
  }
}

/// Converts readings of a clock into a time that never goes back.
struct SteadySeconds {
  private var latest = -TimeInterval.infinity
  private var setBack: TimeInterval = 0

  /// Returns the time for a reading.
  ///
  /// A reading that is more than a second early means that the clock was set back; the time then continues
  /// from where it was. A smaller difference means that two threads arrive in a different order than they
  /// read the clock.
  mutating func time(of reading: TimeInterval) -> TimeInterval {
    let time = reading + setBack
    guard time < latest else {
      latest = time
      return time
    }
    if latest - time > 1 { setBack += latest - time }
    return latest
  }
}
