#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Tells a `VirtualTimeScheduler` what its clock counts and how that relates to real time.
public protocol VirtualTimeConverterType {
  /// A point in virtual time.
  associatedtype VirtualTimeUnit

  /// A span of virtual time.
  associatedtype VirtualTimeIntervalUnit

  /// The real time that a virtual time stands for.
  func convertFromVirtualTime(_ virtualTime: VirtualTimeUnit) -> RxTime

  /// The virtual time that stands for a real time.
  func convertToVirtualTime(_ time: RxTime) -> VirtualTimeUnit

  /// The real span, in seconds, that a virtual span stands for.
  func convertFromVirtualTimeInterval(_ virtualTimeInterval: VirtualTimeIntervalUnit) -> TimeInterval

  /// The virtual span that stands for a real one, in seconds.
  func convertToVirtualTimeInterval(_ virtualTimeInterval: TimeInterval) -> VirtualTimeIntervalUnit

  /// The virtual time that lies `offset` after another.
  func offsetVirtualTime(_ time: VirtualTimeUnit, offset: VirtualTimeIntervalUnit) -> VirtualTimeUnit

  /// Tells how two virtual times relate, the first one seen from the second.
  func compareVirtualTime(_ lhs: VirtualTimeUnit, _ rhs: VirtualTimeUnit) -> VirtualTimeComparison
}

/// How one virtual time relates to another.
public enum VirtualTimeComparison: Sendable {
  /// The first lies before the second.
  case lessThan
  /// Both are the same.
  case equal
  /// The first lies after the second.
  case greaterThan
}
