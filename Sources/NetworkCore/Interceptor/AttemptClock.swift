import Synchronization

/// Numbers the attempts of all requests that may be retried, in the order in which they begin.
enum AttemptClock {
  private static let count = Atomic<UInt64>(0)

  /// The number of the attempt that has begun last.
  static var now: UInt64 { count.load(ordering: .acquiring) }

  /// The number of an attempt that begins.
  static func next() -> UInt64 { count.add(1, ordering: .acquiringAndReleasing).newValue }
}
