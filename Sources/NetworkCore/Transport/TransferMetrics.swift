public import typealias Foundation.TimeInterval

/// What a transfer took: times in seconds since its start, bytes, and what it ran over.
///
/// After redirects it is the last request that is told of.
public struct TransferMetrics: Sendable, Hashable {
  /// Until the host's address was known; 0 on a connection that was used before.
  public var nameLookup: TimeInterval = 0
  /// Until the connection was open; 0 on one that was used before.
  public var connect: TimeInterval = 0
  /// Until the TLS handshake was done; 0 without one, and on a connection that was used before.
  public var secureConnect: TimeInterval = 0
  /// Until the first byte of the answer; 0 where none came.
  public var firstByte: TimeInterval = 0
  /// Until the end.
  public var total: TimeInterval = 0
  /// The bytes of the request's body that were sent.
  public var bodyBytesSent: Int64 = 0
  /// The bytes of the answer's body that were received, as they came: compressed, where they were.
  public var bodyBytesReceived: Int64 = 0
  /// The bytes of the answer's head that were received; with HTTP/2 as many as HTTP/1.1 would have needed.
  public var headBytesReceived: Int64 = 0
  /// The version of the answer; `nil` where none came.
  public var httpVersion: HTTPVersion?
  /// Whether the connection was one that an earlier request had opened.
  public var isConnectionReused = false
  /// The address at the other end of the connection, a proxy's where there is one; `nil` where there was none.
  public var remoteAddress: String?
  /// The port at the other end of the connection.
  public var remotePort: Int?
  /// How many redirects led to the last request.
  public var redirects = 0

  /// Makes metrics of nothing.
  public init() {}
}
