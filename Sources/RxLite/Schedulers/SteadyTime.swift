#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The time of a scheduler without the steps back that its clock makes when it is set.
///
/// Spans between two times keep their length, so that an element that is due in a second does not wait for
/// the hour by which the clock was set back. The time between the previous call and such a step counts as
/// zero.
///
/// The clock is read without a lock, and its time is used under one. A thread that is suspended between the
/// two brings an old time, as if the clock had been set back. `isDoubtful` detects this, and the thread reads
/// the clock again.
@usableFromInline package struct SteadyTime {
  @usableFromInline var latest: RxTime?
  @usableFromInline var setBack: TimeInterval = 0
  /// The number of times that `latest` has changed.
  @usableFromInline var changes = 0

  /// Creates a time that starts with the first call of `time`.
  @inlinable package init() {}

  /// Compares the time of the clock with the latest time.
  ///
  /// - Parameters:
  ///   - now: the time of the clock.
  ///   - changes: the value of the property before the clock was read; `nil` if unknown. If it is the same
  ///     now, an early time proves that the clock was set back.
  /// - Returns: `true` if the time is early and may have been read by a thread that was then suspended.
  @inlinable package func isDoubtful(_ now: RxTime, since changes: Int?) -> Bool {
    guard let latest, changes != self.changes else { return false }
    return Self.isStep(latest.timeIntervalSince(now) - setBack)
  }

  /// Returns the steady time for the time of the clock, which is never earlier than the previous result.
  ///
  /// - Parameters:
  ///   - now: the time of the clock, which must not be doubtful.
  ///   - earliest: a time that has certainly been reached; evaluated if the clock was set back.
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

  // Two threads that have read the clock may arrive in the other order, a little apart.
  @inlinable static func isStep(_ missing: TimeInterval) -> Bool { missing > 1 }
}
