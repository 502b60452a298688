import Synchronization

/// Counts the attempts of all requests that may be retried, in the order in which they begin.
enum AttemptCounter {
  private static let count = Atomic<UInt64>(0)

  /// The number of the attempt that began last.
  static var latest: UInt64 { count.load(ordering: .acquiring) }

  /// Returns the number of an attempt that begins now.
  static func next() -> UInt64 { count.add(1, ordering: .acquiringAndReleasing).newValue }
}
