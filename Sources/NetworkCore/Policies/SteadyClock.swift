import Dispatch
import Foundation

/// The time of a scheduler in seconds, from any beginning, for policies that measure spans.
///
/// Dispatch's time is monotonic. That of any other scheduler is what its clock shows, and may be set back.
struct SteadyClock: Sendable {
  private let scheduler: any DelayScheduler

  init(_ scheduler: any DelayScheduler) {
    self.scheduler = scheduler
  }

  /// What the clock shows; runs code of the scheduler, so no lock may be held.
  var reading: TimeInterval {
    scheduler is DispatchDelayScheduler
      ? TimeInterval(DispatchTime.now().uptimeNanoseconds) / 1e9
      : scheduler.now.timeIntervalSinceReferenceDate
  }
}

/// The time that follows from readings of a clock: it never goes back.
struct SteadySeconds {
  private var latest = -TimeInterval.infinity
  private var setBack: TimeInterval = 0

  /// Returns the time for a reading.
  ///
  /// A reading that is more than a second early means that the clock was set back; time then passes on from where it was. A smaller
  /// difference means that two threads come in another order than they have read the clock.
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
