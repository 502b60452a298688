#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A scheduler's time that never goes back, even if its clock is set back.
///
/// Spans between two times keep their length: if the clock is set back by an hour, an element that is due in
/// a second does not wait for that hour. The time between the last call before such a step and the step
/// counts as zero.
///
/// A thread reads the clock without a lock, and uses the time under one. If it is suspended in between, its
/// time is old, as if the clock had been set back. `mayBeStale` detects this, and the thread reads the clock
/// again.
@usableFromInline package struct SteadyTime {
  @usableFromInline var latest: RxTime?
  @usableFromInline var setBack: TimeInterval = 0
  /// The number of times that `latest` has changed.
  @usableFromInline var changes = 0

  /// Creates a time that starts at the first call of `time`.
  @inlinable package init() {}

  /// Returns whether the clock must be read again because its time may be old.
  ///
  /// - Parameters:
  ///   - now: the time of the clock.
  ///   - changes: the value of the property before the clock was read; `nil` if unknown. If it is the same
  ///     now, an early time proves that the clock was set back.
  /// - Returns: `true` if the time is early, and its thread may have been suspended after reading it.
  @inlinable package func mayBeStale(_ now: RxTime, since changes: Int?) -> Bool {
    guard let latest, changes != self.changes else { return false }
    return Self.isStep(latest.timeIntervalSince(now) - setBack)
  }

  /// Returns the steady time for a time of the clock; never earlier than the previous result.
  ///
  /// - Parameters:
  ///   - now: the time of the clock, which must not be stale.
  ///   - earliest: a time that has certainly been reached; evaluated only if the clock was set back.
  /// - Returns: the time.
  @inlinable package mutating func time(
    _ now: RxTime, notBefore earliest: @autoclosure () -> RxTime? = nil
  ) -> RxTime {
    let time = setBack == 0 ? now : now.addingTimeInterval(setBack)
    guard let latest, time < latest else {
      latest = time
      changes += 1
      return time
    }
    guard Self.isStep(latest.timeIntervalSince(time)) else { return latest }
    let reached = earliest().map { max($0, latest) } ?? latest
    setBack += reached.timeIntervalSince(time)
    self.latest = reached
    changes += 1
    return reached
  }

  // A smaller difference is no step: two threads may arrive in another order than they have read the clock.
  @inlinable static func isStep(_ missing: TimeInterval) -> Bool { missing > 1 }
}
