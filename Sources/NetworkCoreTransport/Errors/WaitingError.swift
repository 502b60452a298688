public import Foundation

/// The reason why a thread cannot wait for a request.
public enum WaitingError: Error, Sendable, Hashable {
  /// The calling thread would have to deliver the response itself.
  case wouldDeadlock
  /// This number of callbacks of the transport already block their threads.
  case tooManyWait(limit: Int)
}

extension WaitingError: LocalizedError {
  /// A one-line description of the error and of the remedy.
  public var errorDescription: String? {
    switch self {
    case .wouldDeadlock:
      """
      The request would wait for itself: the wait is in a callback on the thread that carries it. Omit callbackQueue: \
      .transport, name a queue, or send the request without waiting.
      """
    case .tooManyWait(let limit):
      """
      \(limit) callbacks already block their threads. Send the request without waiting, such as with flatMap, or name a \
      callbackQueue.
      """
    }
  }
}
