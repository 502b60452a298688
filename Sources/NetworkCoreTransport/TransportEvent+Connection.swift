extension TransportEvent {
  /// The connection of a request, and the time that it took to open.
  public struct Connection: Sendable, Hashable {
    /// The address at the other end, which may be a proxy's; `nil` if it is not known, as for a Unix domain
    /// socket.
    public var address: String?
    /// The port at the other end; `nil` if it is not known.
    public var port: Int?
    /// The version of TLS in OpenSSL's spelling, such as `TLSv1.3`; `nil` without TLS, or if libcurl uses
    /// a TLS library other than OpenSSL.
    public var tlsVersion: String?
    /// The version of HTTP that client and server have agreed on; `nil` if only the response shows it.
    public var httpVersion: HTTPVersion?
    /// Whether an earlier request opened the connection; if so, the durations are `nil`.
    public var isReused: Bool
    /// The duration of the name lookup.
    public var nameLookup: Duration?
    /// The duration of the TCP or QUIC handshake, after the name lookup.
    public var connect: Duration?
    /// The duration of the TLS handshake, after the TCP handshake; `nil` without TLS.
    public var secureConnect: Duration?

    /// Creates a description of a connection.
    ///
    /// - Parameters:
    ///   - address: the address at the other end.
    ///   - port: the port at the other end.
    ///   - tlsVersion: the version of TLS.
    ///   - httpVersion: the agreed version of HTTP.
    ///   - isReused: whether an earlier request opened it.
    ///   - nameLookup: the duration of the name lookup.
    ///   - connect: the duration of the TCP or QUIC handshake.
    ///   - secureConnect: the duration of the TLS handshake.
    public init(
      address: String? = nil, port: Int? = nil, tlsVersion: String? = nil, httpVersion: HTTPVersion? = nil,
      isReused: Bool = false, nameLookup: Duration? = nil, connect: Duration? = nil,
      secureConnect: Duration? = nil
    ) {
      self.address = address
      self.port = port
      self.tlsVersion = tlsVersion
      self.httpVersion = httpVersion
      self.isReused = isReused
      self.nameLookup = nameLookup
      self.connect = connect
      self.secureConnect = secureConnect
    }
  }
}
