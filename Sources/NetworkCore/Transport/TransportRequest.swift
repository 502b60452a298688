public import struct Foundation.Data
public import typealias Foundation.TimeInterval
public import struct Foundation.URL

/// A request as a transport sends it.
public struct TransportRequest: Sendable, Hashable {
  /// What is sent after the head.
  public enum Body: Sendable, Hashable {
    /// No body.
    case none
    /// Bytes in memory; empty data is a body of length 0.
    case data(Data)
    /// The bytes of a file, read as they are sent: as many as it has when the transfer begins.
    ///
    /// What is not there, may not be read or is not a file ends the transfer with `TransferError.cannotReadFile`
    /// before anything is sent, a file that shrinks meanwhile with `.wrongBodyLength`.
    case file(URL)
    /// Bytes from somewhere else, read as they are sent.
    case stream(BodyStream)
  }

  /// What a cache between the caller and the server may do; a transport without one has nothing to decide.
  public enum CachePolicy: Sendable, Hashable {
    /// What HTTP allows (RFC 9111).
    case useProtocol
    /// The server is asked, whatever is stored here.
    case reload
    /// The server itself is asked, and no cache on the way either.
    case reloadEverywhere
    /// What is stored is used where the server says that it still holds.
    case revalidate
    /// What is stored is used, however old; the server is asked where nothing is.
    case storedElseLoad
    /// What is stored is used, however old; the server is never asked.
    case storedOnly
  }

  /// The request method.
  public var method: HTTPMethod
  /// The absolute URL, with the scheme `http` or `https`.
  public var url: String
  /// The header fields, in the order in which they are sent.
  public var headers: HTTPHeaders
  /// What is sent after the head.
  public var body: Body
  /// The seconds without any traffic after which the transfer ends with `.timedOut`; 0 for no limit.
  ///
  /// 60 unless set. The limit of a `Session` replaces one that is not set, and never one that is, 60 included.
  public var idleTimeout: TimeInterval {
    get { ownIdleTimeout ?? Self.standardIdleTimeout }
    set { ownIdleTimeout = newValue }
  }
  /// The most bytes that the answer's body may have, decoded where it comes compressed; `nil` for no limit.
  ///
  /// A larger one ends the transfer with `TransferError.responseTooLarge` while it arrives. A provider sets the limit of its
  /// requests.
  public var responseBodyLimit: Int?
  /// Whether anybody looks at `.sent` events; a transport does not report them otherwise.
  public var reportsProgress: Bool
  /// Whether anybody looks at the `.metrics` event; a transport does not report it otherwise.
  public var reportsMetrics = false
  /// Whether the head is to bring the transfer: much of a body may arrive before the thread that starts it goes on.
  var handsOverTransfer = false
  /// Whether the handler is called on the thread that carries the transfers, without a change of threads; `false` unless set.
  ///
  /// For a handler that never blocks and takes microseconds, such as that of a proxy: all transfers of the thread wait for it, with
  /// their time-outs and cancels.
  public var deliversOnLoop = false
  /// What a cache between the caller and the server may do.
  ///
  /// `.useProtocol` unless set. The policy of a `Session` replaces one that is not set, and never one that is.
  public var cachePolicy: CachePolicy {
    get { ownCachePolicy ?? .useProtocol }
    set { ownCachePolicy = newValue }
  }
  /// Whether the transport's cookies, where it keeps any, are sent, and those of the answer kept; a `Cookie` of the request's own
  /// is sent in any case.
  public var handlesCookies = true
  /// Who asks, in place of what the transport's configuration says of the host.
  ///
  /// An `Authorization` of the request's own takes its place, and no other origin gets it after a redirect. A transport that
  /// does not know the scheme ends the transfer.
  public var credential: CurlConfiguration.Credential?
  /// The limit that has been set; `nil` if none has.
  var ownIdleTimeout: TimeInterval?
  /// The policy that has been set; `nil` if none has.
  var ownCachePolicy: CachePolicy?

  /// The seconds that Foundation gives a `URLRequest`.
  static let standardIdleTimeout: TimeInterval = 60

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - method: the request method.
  ///   - url: an absolute `http` or `https` URL.
  ///   - headers: the header fields.
  ///   - body: what is sent after the head.
  ///   - idleTimeout: seconds without traffic, fractions allowed; 0 for no limit. `nil` for the limit of a `Session`, or
  ///     60.
  ///   - reportsProgress: whether `.sent` events are wanted.
  ///   - responseBodyLimit: the most bytes that the answer's body may have, decoded; `nil` for no limit.
  public init(
    method: HTTPMethod = .get, url: String, headers: HTTPHeaders = [:], body: Body = .none,
    idleTimeout: TimeInterval? = nil, reportsProgress: Bool = false, responseBodyLimit: Int? = nil
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.ownIdleTimeout = idleTimeout
    self.reportsProgress = reportsProgress
    self.responseBodyLimit = responseBodyLimit
  }
}
