public import Foundation

/// The error of a call that was not made because a `CircuitBreaker` refused it.
public struct CircuitOpenError: Error, Sendable, Hashable, LocalizedError {
  /// The time until the next probe may be made, in seconds; 0 if one is running, and infinite if the breaker
  /// was isolated by hand.
  public let timeUntilProbe: TimeInterval

  /// Creates an error.
  ///
  /// - Parameter timeUntilProbe: the time until the next probe may be made, in seconds.
  public init(timeUntilProbe: TimeInterval) {
    self.timeUntilProbe = timeUntilProbe
  }

  /// A one-line description of the error, with the time until the next attempt.
  public var errorDescription: String? {
    guard timeUntilProbe < .infinity else {
      return "The request was not sent because the circuit breaker makes no call until it is closed by hand."
    }
    let reason = "The request was not sent because the circuit breaker is open after too many failures."
    return timeUntilProbe > 0
      ? "\(reason) Try again in \(timeUntilProbe) s." : "\(reason) Another request probes the server now."
  }
}
