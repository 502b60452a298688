/// The metrics of a transfer: times since its start, byte counts, and the connection that it used.
///
/// After redirects they describe the last request.
public struct TransferMetrics: Sendable, Hashable {
  /// The time until the host's address was known; 0 on a reused connection.
  public var nameLookup: Duration = .zero
  /// The time until the connection was open; 0 on a reused connection.
  public var connect: Duration = .zero
  /// The time until the TLS handshake was complete; 0 without TLS, and on a reused connection.
  public var secureConnect: Duration = .zero
  /// The time until the first byte of the response; 0 if there was no response.
  public var firstByte: Duration = .zero
  /// The time until the end of the transfer.
  public var total: Duration = .zero
  /// The number of bytes of the request body that were sent.
  public var bodyBytesSent: Int64 = 0
  /// The number of bytes of the response body as received, before any decompression.
  public var bodyBytesReceived: Int64 = 0
  /// The number of bytes of the response head; for HTTP/2 as many as HTTP/1.1 would have needed.
  public var headBytesReceived: Int64 = 0
  /// The version of the response; `nil` if there was none.
  public var httpVersion: HTTPVersion?
  /// Whether an earlier request had opened the connection.
  public var isConnectionReused = false
  /// The address at the other end of the connection, which may be a proxy's; `nil` if there was no
  /// connection, and for a Unix domain socket.
  public var remoteAddress: String?
  /// The port at the other end of the connection; `nil` without an address.
  public var remotePort: Int?
  /// The number of redirects that led to the last request.
  public var redirects = 0

  /// Creates metrics that are all zero.
  public init() {}
}
