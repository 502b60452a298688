public import Foundation

/// Why a request could not be waited for.
public enum WaitingError: Error, Sendable, Hashable {
  /// The calling thread is the one that would have to bring the answer.
  case wouldDeadlock
}

extension WaitingError: LocalizedError {
  /// What happened, in one line.
  public var errorDescription: String? {
    """
    The request would wait for itself: it was made in a callback on the transport's thread. Give the provider a \
    callbackQueue, or make the request without waiting.
    """
  }
}
