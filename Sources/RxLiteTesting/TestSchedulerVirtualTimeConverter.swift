public import RxLite

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Converts between the ticks of a test's clock and real time; tick 0 is 1970-01-01.
public struct TestSchedulerVirtualTimeConverter: VirtualTimeConverterType, Sendable {
  /// A point in virtual time, in ticks.
  public typealias VirtualTimeUnit = Int

  /// A span of virtual time, in ticks.
  public typealias VirtualTimeIntervalUnit = Int

  private let resolution: Double

  /// - Parameter resolution: the length of a tick in seconds.
  init(resolution: Double) {
    self.resolution = resolution
  }

  /// Returns the real time of a tick.
  public func convertFromVirtualTime(_ virtualTime: Int) -> RxTime {
    Date(timeIntervalSince1970: convertFromVirtualTimeInterval(virtualTime))
  }

  /// Returns the tick nearest to a real time.
  public func convertToVirtualTime(_ time: RxTime) -> Int {
    convertToVirtualTimeInterval(time.timeIntervalSince1970)
  }

  /// Returns the number of seconds for a number of ticks.
  public func convertFromVirtualTimeInterval(_ virtualTimeInterval: Int) -> TimeInterval {
    Double(virtualTimeInterval) * resolution
  }

  /// Returns the number of ticks nearest to a number of seconds, clamped to the range of `Int`.
  public func convertToVirtualTimeInterval(_ virtualTimeInterval: TimeInterval) -> Int {
    let ticks = (virtualTimeInterval / resolution).rounded()
    return Int(exactly: ticks) ?? (ticks < 0 ? .min : .max)
  }

  /// Returns the tick `offset` ticks later, clamped to the range of `Int`.
  public func offsetVirtualTime(_ time: Int, offset: Int) -> Int {
    let (sum, isOutside) = time.addingReportingOverflow(offset)
    return isOutside ? (offset < 0 ? .min : .max) : sum
  }

  /// Returns the order of two ticks.
  public func compareVirtualTime(_ lhs: Int, _ rhs: Int) -> VirtualTimeComparison {
    lhs < rhs ? .lessThan : lhs == rhs ? .equal : .greaterThan
  }
}
