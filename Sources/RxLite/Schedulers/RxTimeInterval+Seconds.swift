package import Dispatch
internal import ReactiveNetworkLock

extension Duration {
  /// Creates the duration of an interval; the longest for `.never`.
  package init(_ interval: RxTimeInterval) {
    switch interval {
    case .seconds(let count): self = .seconds(count)
    case .milliseconds(let count): self = .milliseconds(count)
    case .microseconds(let count): self = .microseconds(count)
    case .nanoseconds(let count): self = .nanoseconds(count)
    default: self = .inSeconds(.infinity)
    }
  }
}

extension RxTimeInterval {
  /// The interval in seconds; infinity for `.never`.
  package var inSeconds: Double { seconds ?? .infinity }

  /// Returns an interval of a number of seconds; a negative number counts as zero.
  package static func inSeconds(_ seconds: Double) -> RxTimeInterval {
    // A count of nanoseconds overflows after three centuries.
    .nanoseconds(Int(exactly: (Swift.max(0, seconds) * 1e9).rounded()) ?? .max)
  }
}
