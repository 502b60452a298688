public import Foundation

/// Why a request could not be waited for.
public enum WaitingError: Error, Sendable, Hashable {
  /// The calling thread is the one that would have to bring the answer.
  case wouldDeadlock
  /// So many callbacks of the transport block their threads already.
  case tooManyWait(limit: Int)
}

extension WaitingError: LocalizedError {
  /// What happened, and what to do instead, in one line.
  public var errorDescription: String? {
    switch self {
    case .wouldDeadlock:
      """
      The request would wait for itself: the wait began in a callback on the thread that carries it. Leave out callbackQueue: \
      .transport, name a queue, or make the request without waiting.
      """
    case .tooManyWait(let limit):
      """
      \(limit) callbacks block their threads already. Make the request without waiting, such as with flatMap, or name a \
      callbackQueue.
      """
    }
  }
}
