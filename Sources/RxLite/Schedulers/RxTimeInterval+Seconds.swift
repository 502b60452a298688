package import Dispatch

extension RxTimeInterval {
  /// The interval in seconds; infinity for `.never`.
  package var inSeconds: Double { seconds ?? .infinity }

  /// An interval of so many seconds, not less than none.
  package static func inSeconds(_ seconds: Double) -> RxTimeInterval {
    // Beyond some centuries nanoseconds do not fit.
    .nanoseconds(Int(exactly: (Swift.max(0, seconds) * 1e9).rounded()) ?? .max)
  }
}
