public import struct Foundation.UUID

/// What an adapter gets of a request besides the request itself.
public struct RequestAdapterState: Sendable {
  /// Tells requests apart: the same for all attempts of one, and what retriers see as `Request.id`.
  public let requestID: UUID
  /// What carries the request.
  public let session: Session
  /// How many times the request has been sent again so far; 0 for the first attempt.
  public let retryCount: Int

  /// Makes a state, for adapters that are called by code of one's own.
  ///
  /// - Parameters:
  ///   - requestID: tells requests apart.
  ///   - session: what carries the request.
  ///   - retryCount: how many times the request has been sent again so far.
  public init(requestID: UUID, session: Session, retryCount: Int = 0) {
    self.requestID = requestID
    self.session = session
    self.retryCount = retryCount
  }
}
