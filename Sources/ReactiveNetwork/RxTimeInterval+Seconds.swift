import Dispatch
import RxLite

extension RxTimeInterval {
  /// The interval in seconds; infinity for `.never`.
  var inSeconds: Double {
    switch self {
    case .seconds(let value): Double(value)
    case .milliseconds(let value): Double(value) / 1e3
    case .microseconds(let value): Double(value) / 1e6
    case .nanoseconds(let value): Double(value) / 1e9
    case .never: .infinity
    @unknown default: .infinity
    }
  }

  /// An interval of so many seconds, not less than none.
  static func inSeconds(_ seconds: Double) -> RxTimeInterval {
    // Beyond some centuries nanoseconds do not fit.
    .nanoseconds(Int(exactly: (Swift.max(0, seconds) * 1e9).rounded()) ?? .max)
  }
}
