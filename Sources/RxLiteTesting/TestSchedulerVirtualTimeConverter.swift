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

  /// - Parameter resolution: how many seconds a tick stands for.
  init(resolution: Double) {
    self.resolution = resolution
  }

  /// The real time of a tick.
  public func convertFromVirtualTime(_ virtualTime: Int) -> RxTime {
    Date(timeIntervalSince1970: convertFromVirtualTimeInterval(virtualTime))
  }

  /// The tick nearest to a real time.
  public func convertToVirtualTime(_ time: RxTime) -> Int {
    convertToVirtualTimeInterval(time.timeIntervalSince1970)
  }

  /// The seconds that a number of ticks stands for.
  public func convertFromVirtualTimeInterval(_ virtualTimeInterval: Int) -> TimeInterval {
    Double(virtualTimeInterval) * resolution
  }

  /// The number of ticks nearest to a number of seconds; what `Int` cannot hold becomes its bound.
  public func convertToVirtualTimeInterval(_ virtualTimeInterval: TimeInterval) -> Int {
    let ticks = (virtualTimeInterval / resolution).rounded()
    return Int(exactly: ticks) ?? (ticks < 0 ? .min : .max)
  }

  /// The tick `offset` ticks later.
  public func offsetVirtualTime(_ time: Int, offset: Int) -> Int {
    time + offset
  }

  /// Tells how two ticks relate.
  public func compareVirtualTime(_ lhs: Int, _ rhs: Int) -> VirtualTimeComparison {
    lhs < rhs ? .lessThan : lhs == rhs ? .equal : .greaterThan
  }
}
