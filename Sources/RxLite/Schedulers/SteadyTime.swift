#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The time of a scheduler without the steps back that its clock makes when it is set.
///
/// Spans between two times stay what they are, so that an element due in a second does not wait for the hour by which the clock
/// was set back. The time from the last call to such a step counts as none.
@usableFromInline package struct SteadyTime {
  @usableFromInline var latest: RxTime?
  @usableFromInline var setBack: TimeInterval = 0

  /// Starts at the first time that is asked for.
  @inlinable package init() {}

  /// Returns the time for what the clock shows, which is never earlier than the one before.
  ///
  /// - Parameters:
  ///   - now: what the clock shows.
  ///   - earliest: a time that has surely been reached; asked for if the clock was set back.
  /// - Returns: the time.
  @inlinable package mutating func time(
    _ now: RxTime, notBefore earliest: @autoclosure () -> RxTime? = nil
  ) -> RxTime {
    let time = setBack == 0 ? now : now.addingTimeInterval(setBack)
    guard let latest, time < latest else {
      latest = time
      return time
    }
    let missing = latest.timeIntervalSince(time)
    // Two threads that have read the clock may come here in the other order, which is no step of the clock.
    guard missing > 1 else { return latest }
    let reached = earliest().map { max($0, latest) } ?? latest
    setBack += reached.timeIntervalSince(time)
    self.latest = reached
    return reached
  }
}
