package import Dispatch

extension RxTimeInterval {
  /// The interval in seconds; infinity for `.never`.
  package var inSeconds: Double { seconds ?? .infinity }

  /// Returns an interval of a number of seconds; a negative number counts as zero.
  package static func inSeconds(_ seconds: Double) -> RxTimeInterval {
    // Nanoseconds overflow beyond some centuries.
    .nanoseconds(Int(exactly: (Swift.max(0, seconds) * 1e9).rounded()) ?? .max)
  }
}
