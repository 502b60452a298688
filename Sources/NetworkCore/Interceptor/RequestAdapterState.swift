public import struct Foundation.UUID

/// The information about a request that an adapter receives in addition to the request itself.
public struct RequestAdapterState: Sendable {
  /// Identifies the request: equal for all its attempts, and to `Request.id`, which retriers see.
  public let requestID: UUID
  /// The session that carries the request.
  public let session: Session
  /// The number of retries so far; 0 for the first attempt.
  public let retryCount: Int
  /// Receives the work that is cancelled with the request.
  let attach: @Sendable (any Cancellable) -> Void
}

extension RequestAdapterState {
  /// Creates a state, for code that calls adapters itself.
  ///
  /// - Parameters:
  ///   - requestID: identifies the request.
  ///   - session: the session that carries the request.
  ///   - retryCount: the number of retries so far.
  public init(requestID: UUID, session: Session, retryCount: Int = 0) {
    self.init(requestID: requestID, session: session, retryCount: retryCount, attach: { _ in })
  }

  /// Cancels the adapter's work if the request is cancelled before the adapter calls its completion.
  ///
  /// - Parameter work: the work. A later call replaces it.
  public func cancelWithRequest(_ work: any Cancellable) { attach(work) }
}
