internal import Synchronization

/// Tells the observed requests of a process apart; one that starts later has a greater number.
public struct RequestID: Sendable, Hashable, Comparable, CustomStringConvertible {
  private static let last = Atomic<UInt64>(0)

  /// The observed request that is being prepared on this thread, within a plugin's `prepare` and `willSend`;
  /// `nil` elsewhere, and for a request that nothing observes.
  @TaskLocal public static var current: RequestID?

  /// The number, 1 for the first observed request of the process.
  public let number: UInt64

  /// Creates the identifier of another request.
  public init() {
    number = Self.last.add(1, ordering: .relaxed).newValue
  }

  /// The number after a `#`.
  public var description: String { "#\(number)" }

  /// Whether the first request is the older one.
  public static func < (first: RequestID, second: RequestID) -> Bool { first.number < second.number }
}
