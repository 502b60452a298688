package import Dispatch

extension RxTimeInterval {
  /// The interval in seconds; infinity for `.never`.
  package var inSeconds: Double { seconds ?? .infinity }

  /// Returns an interval of a number of seconds; a negative number counts as zero.
  package static func inSeconds(_ seconds: Double) -> RxTimeInterval {
    // A count of nanoseconds overflows after three centuries.
    .nanoseconds(Int(exactly: (Swift.max(0, seconds) * 1e9).rounded()) ?? .max)
  }
}
