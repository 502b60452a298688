#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Defines the units of a `VirtualTimeScheduler` and converts them to real time.
public protocol VirtualTimeConverterType {
  /// A point in virtual time.
  associatedtype VirtualTimeUnit

  /// A span of virtual time.
  associatedtype VirtualTimeIntervalUnit

  /// Returns the real time for a virtual time.
  func convertFromVirtualTime(_ virtualTime: VirtualTimeUnit) -> RxTime

  /// Returns the virtual time for a real time.
  func convertToVirtualTime(_ time: RxTime) -> VirtualTimeUnit

  /// Returns the real span, in seconds, for a virtual span.
  func convertFromVirtualTimeInterval(_ virtualTimeInterval: VirtualTimeIntervalUnit) -> TimeInterval

  /// Returns the virtual span for a real span in seconds.
  func convertToVirtualTimeInterval(_ virtualTimeInterval: TimeInterval) -> VirtualTimeIntervalUnit

  /// Returns the virtual time `offset` after another.
  func offsetVirtualTime(_ time: VirtualTimeUnit, offset: VirtualTimeIntervalUnit) -> VirtualTimeUnit

  /// Returns the order of two virtual times.
  func compareVirtualTime(_ lhs: VirtualTimeUnit, _ rhs: VirtualTimeUnit) -> VirtualTimeComparison
}

/// The order of two virtual times.
public enum VirtualTimeComparison: Sendable {
  /// The first is earlier than the second.
  case lessThan
  /// Both are equal.
  case equal
  /// The first is later than the second.
  case greaterThan
}
