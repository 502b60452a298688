import Foundation

/// Converts readings of a clock into a time that never goes back.
struct MonotonicTime {
  private var latest = -TimeInterval.infinity
  private var setBack: TimeInterval = 0

  /// Returns the time for a reading.
  ///
  /// If a reading is more than a second earlier than the latest one, the clock was set back, and the time
  /// continues from its latest value. A smaller difference means that two threads call this method in a
  /// different order than they read the clock.
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
