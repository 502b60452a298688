#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import Dispatch

extension RxTimeInterval {
  /// Returns the rest of the interval at `now` if it began at `start`; `nil` if it is over.
  ///
  /// The result is in whole microseconds: the resolution of a present-day `Date` is hardly finer, and
  /// rounding keeps steps of virtual time exact. It is never longer than the interval itself, even if the
  /// system clock was set back meanwhile.
  @usableFromInline func remaining(from start: RxTime, to now: RxTime) -> RxTimeInterval? {
    guard let seconds else { return .never }
    let elapsed = now.timeIntervalSince(start)
    guard elapsed > 0 else { return seconds > 0 ? self : nil }
    let microseconds = ((seconds - elapsed) * 1e6).rounded()
    guard microseconds > 0 else { return nil }
    return microseconds < 1e18 ? .microseconds(Int(microseconds)) : self
  }

  /// Returns the end of the interval if it began at `start`; `nil` for `.never`.
  @usableFromInline func end(from start: RxTime) -> RxTime? {
    seconds.map(start.addingTimeInterval)
  }

  /// The interval, or 0 if it is negative: Dispatch stops the process for a negative one.
  var nonNegative: RxTimeInterval { (seconds ?? 0) < 0 ? .nanoseconds(0) : self }

  /// The interval in seconds; `nil` for `.never`.
  package var seconds: Double? {
    switch self {
    case .seconds(let count): Double(count)
    case .milliseconds(let count): Double(count) / 1e3
    case .microseconds(let count): Double(count) / 1e6
    case .nanoseconds(let count): Double(count) / 1e9
    case .never: nil
    @unknown default: nil
    }
  }
}
