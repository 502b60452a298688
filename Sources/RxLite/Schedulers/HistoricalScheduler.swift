#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A virtual time scheduler whose clock shows dates: replays what happened at known times.
public class HistoricalScheduler: VirtualTimeScheduler<HistoricalSchedulerTimeConverter>,
  @unchecked Sendable
{
  // Sendable as the class above is: used by one thread at a time.

  /// Makes a scheduler.
  ///
  /// - Parameter initialClock: what the clock shows at first.
  public init(initialClock: RxTime = Date(timeIntervalSince1970: 0)) {
    super.init(initialClock: initialClock, converter: HistoricalSchedulerTimeConverter())
  }
}

/// Converts nothing: virtual time is real time, and spans are in seconds.
public struct HistoricalSchedulerTimeConverter: VirtualTimeConverterType, Sendable {
  /// A point in virtual time.
  public typealias VirtualTimeUnit = RxTime

  /// A span of virtual time, in seconds.
  public typealias VirtualTimeIntervalUnit = TimeInterval

  /// The same time.
  public func convertFromVirtualTime(_ virtualTime: RxTime) -> RxTime { virtualTime }

  /// The same time.
  public func convertToVirtualTime(_ time: RxTime) -> RxTime { time }

  /// The same span.
  public func convertFromVirtualTimeInterval(_ virtualTimeInterval: TimeInterval) -> TimeInterval {
    virtualTimeInterval
  }

  /// The same span.
  public func convertToVirtualTimeInterval(_ virtualTimeInterval: TimeInterval) -> TimeInterval {
    virtualTimeInterval
  }

  /// The time `offset` seconds later.
  public func offsetVirtualTime(_ time: RxTime, offset: TimeInterval) -> RxTime {
    time.addingTimeInterval(offset)
  }

  /// Tells how two times relate.
  public func compareVirtualTime(_ lhs: RxTime, _ rhs: RxTime) -> VirtualTimeComparison {
    lhs < rhs ? .lessThan : lhs == rhs ? .equal : .greaterThan
  }
}
