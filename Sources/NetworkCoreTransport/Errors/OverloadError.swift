public import Foundation

/// The error of a call that was not made because too many other calls run or wait.
public enum OverloadError: Error, Sendable, Hashable, LocalizedError {
  /// The queue already holds the maximum number of waiting calls.
  case queueFull(maxWaiting: Int)
  /// The call has waited this number of seconds without a turn.
  case waitedTooLong(TimeInterval)

  /// A one-line description of the error and of the remedy.
  public var errorDescription: String? {
    switch self {
    case .queueFull(let limit):
      "The request was not sent because \(limit) others wait already. Send fewer at a time, or raise maxWaiting."
    case .waitedTooLong(let seconds):
      "The request was not sent because it did not get a turn within \(seconds) s. Send fewer at a time, or "
        + "raise longestWait."
    }
  }
}
