public import struct Foundation.UUID

/// The information about a request that an adapter receives in addition to the request itself.
public struct RequestAdapterState: Sendable {
  /// Identifies the request: equal for all its attempts, and to `Request.id`, which retriers see.
  public let requestID: UUID
  /// The session that carries the request.
  public let session: Session
  /// The number of retries so far; 0 for the first attempt.
  public let retryCount: Int

  /// Creates a state, for code that calls adapters itself.
  ///
  /// - Parameters:
  ///   - requestID: identifies the request.
  ///   - session: the session that carries the request.
  ///   - retryCount: the number of retries so far.
  public init(requestID: UUID, session: Session, retryCount: Int = 0) {
    self.requestID = requestID
    self.session = session
    self.retryCount = retryCount
  }
}
