internal import Synchronization

/// Identifies an observed request within the process; later requests have greater numbers.
public struct RequestID: Sendable, Hashable, Comparable, CustomStringConvertible {
  private static let last = Atomic<UInt64>(0)

  /// The observed request that a plugin prepares, during its `prepare` and `willSend`; `nil` elsewhere, and
  /// for a request that nothing observes.
  @TaskLocal public static var current: RequestID?

  /// The number, 1 for the first observed request of the process.
  public let number: UInt64

  /// Creates an identifier with the next number.
  public init() {
    number = Self.last.add(1, ordering: .relaxed).newValue
  }

  /// The number after a `#`.
  public var description: String { "#\(number)" }

  /// Returns whether the first request is older than the second one.
  public static func < (first: RequestID, second: RequestID) -> Bool { first.number < second.number }
}
