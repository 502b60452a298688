#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import Dispatch

extension RxTimeInterval {
  /// What is left of the interval at `now` when it began at `start`; `nil` where it is over.
  ///
  /// In whole microseconds: a `Date` of our days is hardly finer, and rounding keeps steps of virtual time
  /// exact. Never more than the interval itself, even where the system's clock was set back meanwhile.
  @usableFromInline func remaining(from start: RxTime, to now: RxTime) -> RxTimeInterval? {
    guard let seconds else { return .never }
    let elapsed = now.timeIntervalSince(start)
    guard elapsed > 0 else { return seconds > 0 ? self : nil }
    let microseconds = ((seconds - elapsed) * 1e6).rounded()
    guard microseconds > 0 else { return nil }
    return microseconds < 1e18 ? .microseconds(Int(microseconds)) : self
  }

  /// When the interval is over that began at `start`; `nil` for `.never`.
  @usableFromInline func end(from start: RxTime) -> RxTime? {
    seconds.map(start.addingTimeInterval)
  }

  /// The span in seconds; `nil` for `.never`.
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
