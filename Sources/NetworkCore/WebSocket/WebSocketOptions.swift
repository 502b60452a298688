/// The properties of a WebSocket that its target does not have.
public struct WebSocketOptions: Sendable, Hashable {
  /// The subprotocols to offer (`Sec-WebSocket-Protocol`), the preferred one first.
  ///
  /// They replace such a field of the target or of a plugin; an empty array leaves it as it is.
  public var subprotocols: [String]
  /// Whether the handshake offers to compress messages (`permessage-deflate`, RFC 7692); `true` by default.
  ///
  /// If the server accepts, text that it or the client repeats becomes shorter, at the price of processor time
  /// and up to 300 KiB of memory. Do not mix secrets with text that others choose: the length of the compressed
  /// messages shows whether they are alike.
  public var offersCompression: Bool
  /// The maximum size of a received message in bytes, decompressed; 16 MiB by default.
  ///
  /// A longer message fails the connection with `WebSocketError.messageTooLong` while it arrives. A negative limit
  /// counts as 0.
  public var messageLimit: Int
  /// The maximum number of bytes that may wait to be sent; 16 MiB by default.
  ///
  /// Over an open connection, a message may be longer if nothing else waits.
  public var sendQueueLimit: Int
  /// The time after which a handshake fails with `TransferError.timedOut`; `.zero` for no limit, 60 s by default.
  public var openTimeout: Duration
  /// The time between two pings; `.zero` for none, 30 s by default.
  ///
  /// If the server sends nothing between two pings, the connection fails with `WebSocketError.noPong`. While a
  /// ping waits behind messages, it is enough that these are being sent; the server then has at least this time to
  /// answer. After a `close()`, the `closeTimeout` applies instead. The provider's scheduler measures the time.
  /// Pings take the place of a session's idle limit; another limit of the target or a plugin applies.
  public var pingInterval: Duration
  /// The time without progress after which a connection that one side has closed is cut; 5 s by default.
  ///
  /// Progress is what is sent and, after a `close()`, what arrives of a message that has not ended. The time during which a slow
  /// receiver stops reading does not count, so a receiver that never reads keeps the connection open.
  public var closeTimeout: Duration

  /// Creates options.
  ///
  /// - Parameters:
  ///   - subprotocols: the subprotocols to offer, the preferred one first.
  ///   - offersCompression: whether the handshake offers to compress messages.
  ///   - messageLimit: the maximum size of a received message in bytes.
  ///   - sendQueueLimit: the maximum number of bytes that may wait to be sent.
  ///   - openTimeout: the time after which a handshake fails; `.zero` for no limit.
  ///   - pingInterval: the time between two pings; `.zero` for none.
  ///   - closeTimeout: the time without progress after which a connection that one side has closed is cut.
  public init(
    subprotocols: [String] = [], offersCompression: Bool = true, messageLimit: Int = 16 << 20,
    sendQueueLimit: Int = 16 << 20, openTimeout: Duration = .seconds(60),
    pingInterval: Duration = .seconds(30), closeTimeout: Duration = .seconds(5)
  ) {
    self.subprotocols = subprotocols
    self.offersCompression = offersCompression
    self.messageLimit = messageLimit
    self.sendQueueLimit = sendQueueLimit
    self.openTimeout = openTimeout
    self.pingInterval = pingInterval
    self.closeTimeout = closeTimeout
  }
}
