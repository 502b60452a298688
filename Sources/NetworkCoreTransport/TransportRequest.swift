public import struct Foundation.Data
public import struct Foundation.URL

/// A request as a transport sends it.
public struct TransportRequest: Sendable, Hashable {
  /// The content that is sent after the head.
  public enum Body: Sendable, Hashable {
    /// No body.
    case none
    /// Bytes in memory; empty data is a body of length 0.
    case data(Data)
    /// The bytes of a file, read as they are sent; the length is that of the file when the transfer begins,
    /// and what is appended to it meanwhile is not sent.
    ///
    /// A path that does not exist, cannot be read or is not a file ends the transfer with
    /// `TransferError.cannotReadFile` before anything is sent. A file that shrinks meanwhile ends it with
    /// `.wrongBodyLength`.
    case file(URL)
    /// Bytes from another source, read as they are sent.
    case stream(BodyStream)
  }

  /// The use of a cache between the caller and the server; ignored by a transport without a cache.
  public enum CachePolicy: Sendable, Hashable {
    /// Follows HTTP's rules (RFC 9111).
    case useProtocol
    /// Sends the request to the server, even if a response is stored here.
    case reload
    /// Sends the request to the origin server, past every cache on the way.
    case reloadEverywhere
    /// Uses a stored response only after the server has confirmed that it is still valid.
    case revalidate
    /// Uses a stored response, however old; sends the request if none is stored.
    case storedElseLoad
    /// Uses a stored response, however old; never sends the request.
    case storedOnly
  }

  /// The request method.
  public var method: HTTPMethod
  /// The absolute URL, with the scheme `http`, `https` or, over a transport that supports it, `http+unix`.
  public var url: String
  /// The header fields, in the order in which they are sent.
  public var headers: HTTPHeaders
  /// The content that is sent after the head.
  public var body: Body
  /// The time without any traffic after which the transfer ends with `.timedOut`; zero for no limit.
  ///
  /// The default is 60 s. The limit of a `Session` applies only if this property has not been set, and does not
  /// replace a value that has, not even 60 s.
  public var idleTimeout: Duration {
    get { explicitIdleTimeout ?? Self.standardIdleTimeout }
    set { explicitIdleTimeout = newValue }
  }
  /// The greatest length of the response body in bytes, decoded if it is compressed; `nil` for no limit.
  ///
  /// A longer body ends the transfer with `TransferError.responseTooLarge` while it arrives. A provider sets
  /// the limit of its requests.
  public var responseBodyLimit: Int?
  /// Whether the transport reports `.sent` events.
  public var reportsProgress: Bool
  /// Whether the transport reports the `.metrics` event.
  public var reportsMetrics = false
  /// Whether the head carries the transfer.
  ///
  /// Much of a body may arrive before `start` returns its token to the caller.
  package var handsOverTransfer = false
  /// Whether the body of a redirect may be discarded as it arrives, undecoded.
  package var ignoresRedirectBodies = false
  /// The time at which the first of several requests was started, in nanoseconds of `DispatchTime`, if a redirect
  /// has led to this one; `nil` for a request that none has led to.
  ///
  /// The limits of the whole transfer count from then.
  package var firstStart: UInt64?
  /// Whether the handler is called on the thread that carries the transfers, without a thread switch; `false`
  /// by default.
  ///
  /// Only for a handler that never blocks and takes microseconds, such as that of a proxy: all transfers of
  /// the thread wait for it, and so do their time-outs and cancellations. Without effect if a closure or a
  /// handler decides about redirects.
  public var deliversOnLoop = false
  /// Whether the request asks the server to switch to the protocol of its `Upgrade` field (RFC 9110, section
  /// 7.8), such as `websocket`; `false` by default.
  ///
  /// The transport sends the request over a new HTTP/1.1 connection, through a tunnel if there is a proxy, and
  /// reports 101 as its response. The connection is then a pair of byte streams: the body of the request is
  /// sent as it is, without framing, and received bytes are reported as the body of the response. The body
  /// must not provide bytes before the response has arrived. Only for a transport whose `upgradesConnections`
  /// is `true`.
  public var upgradesConnection = false
  /// Whether to send the request over a connection that no request has used before; `false` by default.
  ///
  /// `CurlTransport` follows it, but not for the target of a redirect; other transports may ignore it.
  public var needsNewConnection = false
  /// The delay of a hedged request, which limits pause while this copy waits; `nil` for any other request.
  package var hedgeDelay: HedgeDelay? {
    get { hedge.delay }
    set { hedge.delay = newValue }
  }
  private var hedge = HedgeDelayOfRequest()
  /// The use of a cache between the caller and the server.
  ///
  /// The default is `.useProtocol`. The policy of a `Session` applies only if this property has not been set.
  public var cachePolicy: CachePolicy {
    get { explicitCachePolicy ?? .useProtocol }
    set { explicitCachePolicy = newValue }
  }
  /// Whether to send the transport's cookies, if it keeps any, and to store those of the response; the
  /// request's own `Cookie` field is sent in any case.
  public var handlesCookies = true
  /// The credential to send, in place of the one that the transport's configuration has for the host.
  ///
  /// The request's own `Authorization` field takes precedence over it, and no other origin gets it after a
  /// redirect. A transport that does not support the scheme ends the transfer.
  public var credential: Credential?
  /// Receives what the transport does with the request; `nil` if nothing observes it.
  public var observer: (any TransferObserver)? {
    get { observerIdentity.observer }
    set { observerIdentity = TransferObserverIdentity(observer: newValue) }
  }
  private var observerIdentity = TransferObserverIdentity()
  /// The names, in lower case, of fields whose values are sent as ISO 8859-1, as a server sent them, and not as
  /// UTF-8.
  package var latin1Fields: Set<String> = []
  /// Whether a cache has added the conditions, which are about the response that it has stored for the URL.
  package var hasConditionsOfCache = false
  /// The limit, if it has been set.
  package var explicitIdleTimeout: Duration?
  /// The policy, if it has been set.
  package var explicitCachePolicy: CachePolicy?

  /// The time-out that Foundation gives a `URLRequest`.
  package static let standardIdleTimeout = Duration.seconds(60)

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - method: the request method.
  ///   - url: an absolute `http`, `https` or `http+unix` URL.
  ///   - headers: the header fields.
  ///   - body: the content that is sent after the head.
  ///   - idleTimeout: the time without traffic; zero for no limit, `nil` for the limit of a `Session`, or 60 s
  ///     without one.
  ///   - reportsProgress: whether to report `.sent` events.
  ///   - responseBodyLimit: the greatest length of the response body in bytes, decoded; `nil` for no limit.
  public init(
    method: HTTPMethod = .get, url: String, headers: HTTPHeaders = [:], body: Body = .none,
    idleTimeout: Duration? = nil, reportsProgress: Bool = false, responseBodyLimit: Int? = nil
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.explicitIdleTimeout = idleTimeout
    self.reportsProgress = reportsProgress
    self.responseBodyLimit = responseBodyLimit
  }
}
