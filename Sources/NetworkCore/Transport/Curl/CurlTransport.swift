internal import CCurl
internal import Foundation

/// Carries requests with libcurl: the default transport on Linux.
///
/// One thread serves all transfers unless `CurlConfiguration.threads` says otherwise; connections are kept and used
/// again, HTTP/2 is spoken over TLS where the server can. libcurl is opened at run time: the package needs `libcurl.so.4` (7.80 or newer), which
/// FoundationNetworking needs as well, and no development package.
///
/// ```swift
/// let transport = try CurlTransport()
/// let request = TransportRequest(url: "http://127.0.0.1:8080/")
/// let transfer = transport.start(request) { event in
///   if case .finished(let error) = event { print(error ?? "whole") }
/// }
/// transfer.cancel()
/// ```
///
/// - Redirects are followed, up to 16: 303 becomes a GET, 301 and 302 turn a POST into a GET, other methods and
///   307 and 308 repeat the request with its body. `Authorization`, `Cookie`, `Proxy-Authorization` and `Host` are
///   not sent to another origin, and `https` is never left for `http`.
/// - A request that is not idempotent, such as a POST, is not sent a second time when a kept connection closes
///   before any answer: it ends with `.connectionLost`, and whether to repeat it is for the caller to say.
/// - The body of a `HEAD` is not sent: its content has no meaning (RFC 9110, section 9.3.2).
/// - Answers are decoded (gzip, deflate, and Brotli and zstd where their libraries are found). No cookies are kept and nothing is cached;
///   see ``CachingTransport``.
/// - What else can be set is in ``CurlConfiguration``.
///
/// A transport that goes away ends the transfers that are left with `.finished(.cancelled)`.
///
/// No process is forked. In a process that was forked from another, a transport made before ends each request at once with
/// `.other`, on the thread that starts it; see the article Transports.
public final class CurlTransport: Transport {
  /// The transport that is used where none is named, made at the first call.
  ///
  /// - Throws: `CurlUnavailableError` where libcurl cannot be used.
  public static var shared: CurlTransport {
    get throws(CurlUnavailableError) { try standard.get() }
  }

  private static let standard = Result<CurlTransport, CurlUnavailableError> {
    () throws(CurlUnavailableError) in try CurlTransport()
  }

  static let userAgent = "ReactiveNetwork"

  private let loops: CurlLoops
  private let credentials: CredentialTable
  private let keepsCookies: Bool

  /// `User-Agent`, which some services insist on; `Accept` and `Accept-Encoding` are added.
  public let defaultHeaders: HTTPHeaders = ["User-Agent": CurlTransport.userAgent]

  /// Makes a transport with connections of its own.
  ///
  /// - Throws: `CurlUnavailableError` where libcurl cannot be used.
  public convenience init() throws(CurlUnavailableError) {
    try self.init(library: .system())
  }

  /// Makes a transport with connections of its own.
  ///
  /// - Parameter configuration: how to talk to servers.
  /// - Throws: `CurlConfigurationError` where libcurl cannot be used, or not with this configuration.
  public convenience init(configuration: CurlConfiguration) throws(CurlConfigurationError) {
    let library: CurlLibrary
    do throws(CurlUnavailableError) {
      library = try .system()
    } catch {
      throw .unavailable(error)
    }
    try self.init(library: library, configuration: configuration)
  }

  /// Makes a transport over a library that was opened by name.
  package convenience init(library: CurlLibrary) throws(CurlUnavailableError) {
    do throws(CurlConfigurationError) {
      try self.init(library: library, configuration: CurlConfiguration())
    } catch {
      throw CurlUnavailableError(reason: error.localizedDescription)
    }
  }

  /// Makes a transport over a library that was opened by name.
  package init(
    library: CurlLibrary, configuration: CurlConfiguration
  ) throws(CurlConfigurationError) {
    credentials = try CredentialTable(configuration.credentials)
    keepsCookies = configuration.cookies != .none
    loops = try CurlLoops(library: library, configuration: configuration)
  }

  deinit {
    loops.shutDown()
  }

  /// Starts a transfer and returns at once; see ``Transport``.
  ///
  /// Handlers are called on another thread than the one that carries the transfers, unless the request says `deliversOnLoop`. One that
  /// blocks holds up the further events of its own transfer, and its sender; those of other transfers for a few milliseconds, until another
  /// thread calls their handlers, of which up to 256 may block at a time; and no transfer, time-out or cancel on the wire.
  public func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    let loop = loops.next
    let transfer = CurlTransfer(request: request, loop: loop, handler: handler)
    loop.start(transfer, refusal: transfer.admit())
    return transfer
  }
}

extension CurlTransport: AddingTransport {
  func additions(to request: TransportRequest) -> RequestAdditions {
    guard keepsCookies || !credentials.isEmpty else { return RequestAdditions() }
    let isKnown = request.headers["Authorization"] != nil
    return RequestAdditions(
      cookies: keepsCookies && request.handlesCookies,
      credential: !isKnown && Origin(url: request.url).map { credentials[$0] != nil } == true)
  }
}

extension CurlTransport {
  /// How many bytes the heads of an answer may have, informational ones and trailers included.
  static let headLimit = 256 << 10
  /// How many fields they may have: libcurl's own limit (8.23), which is that of all versions here.
  static let fieldLimit = 5_000
  /// How often an answer may ask for credentials: once, once more with a new nonce, and some more for what nobody foresees.
  static let challengeLimit = 8
  /// How many redirects a request may take.
  static let redirectLimit = 16
  /// How many connections a server may leave before a request is given up; libcurl's own number for refusals.
  static let departureLimit = 5
  /// How many bytes of body a redirect may have: they are read, so that the connection can be kept, and dropped.
  static let redirectBodyLimit = 1 << 20
  /// How long a transfer whose answer has come whole waits for the server to take more of its body, in nanoseconds.
  static let answeredLimit: UInt64 = 3_000_000_000
  /// How many bytes libcurl reads at a time: more than its default of 16 KiB, since 7.88 often reads one buffer a
  /// turn.
  static let bufferSize = 64 << 10
  /// How many bytes of a body are taken from the wire before they are delivered; one buffer more may be.
  static let deliveryLimit = 128 << 10
  /// The same of a stream of HTTP/2 or HTTP/3 whose receiver does not keep up.
  static let streamDeliveryLimit = 1 << 20
  /// How many bytes have come at once of a body that is taken for a long one.
  static let longBody = 32 << 10
  /// How many easy handles are kept for later transfers.
  static let idleHandleLimit = 256

  /// How many connections there may be: most of the descriptors that the process may have.
  static var connectionLimit: Int {
    var limit = rlimit()
    #if canImport(Glibc)
      let isKnown = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
    #else
      let isKnown = getrlimit(RLIMIT_NOFILE, &limit) == 0
    #endif
    return isKnown ? max(16, Int(clamping: min(limit.rlim_cur, 65_536)) / 4 * 3) : 256
  }
}
