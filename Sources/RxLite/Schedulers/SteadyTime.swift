#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The time of a scheduler without the steps back that its clock makes when it is set.
///
/// Spans between two times stay what they are, so that an element due in a second does not wait for the hour by which the clock
/// was set back. The time from the last call to such a step counts as none.
///
/// The clock is read without a lock and its time used under one. A thread that is suspended between the two brings an old time, as
/// if the clock had been set back; `isDoubtful` tells, and the thread reads the clock again.
@usableFromInline package struct SteadyTime {
  @usableFromInline var latest: RxTime?
  @usableFromInline var setBack: TimeInterval = 0
  /// How often `latest` has changed.
  @usableFromInline var changes = 0

  /// Starts at the first time that is asked for.
  @inlinable package init() {}

  /// Compares what the clock shows with the latest time.
  ///
  /// - Parameters:
  ///   - now: what the clock shows.
  ///   - changes: the value of the property before the clock was read; `nil` if not known. If it is the same now, an early time
  ///     proves that the clock was set back.
  /// - Returns: `true` if the time is early and may have been read by a thread that was suspended then.
  @inlinable package func isDoubtful(_ now: RxTime, since changes: Int?) -> Bool {
    guard let latest, changes != self.changes else { return false }
    return Self.isStep(latest.timeIntervalSince(now) - setBack)
  }

  /// Returns the time for what the clock shows, which is never earlier than the one before.
  ///
  /// - Parameters:
  ///   - now: what the clock shows, not doubtful.
  ///   - earliest: a time that has surely been reached; asked for if the clock was set back.
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

  // Two threads that have read the clock may come in the other order, a little apart.
  @inlinable static func isStep(_ missing: TimeInterval) -> Bool { missing > 1 }
}
