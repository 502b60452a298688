internal import CNetworkCoreCurl
internal import Foundation

/// Carries requests with libcurl: the default transport on Linux.
///
/// One thread serves all transfers unless `CurlConfiguration.threads` says otherwise. Connections are kept
/// and reused, and HTTP/2 is used over TLS if the server supports it. libcurl is loaded at run time: the
/// package needs `libcurl.so.4` (7.80 or newer), which FoundationNetworking needs as well, and no development
/// package.
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
/// - Redirects are followed, up to 16: 303 becomes a GET, 301 and 302 turn a POST into a GET; other methods,
///   and 307 and 308, repeat the request with its body. Credentials, also in fields such as `X-Api-Key`, cookies,
///   trace contexts, and the conditions of safe methods are not sent to another origin, and a redirect from `https`
///   to `http` is refused.
/// - A request that is not idempotent, such as a POST, is not retried when a reused connection closes before
///   any response. It ends with `.connectionLost`, and the caller decides whether to repeat it.
/// - The body of a `HEAD` request is not sent, because its content has no meaning (RFC 9110, section 9.3.2).
/// - Responses are decoded (gzip, deflate, and Brotli and zstd if their libraries are found). Unless
///   configured, no cookies are kept. Nothing is cached; see ``CachingTransport``.
/// - ``CurlConfiguration`` has all further settings.
///
/// When the transport is released, its remaining transfers end with `.finished(.cancelled)`.
///
/// The transport forks no process. In a forked process, a transport that was created before the fork ends
/// each request at once with `.other`, on the thread that starts it; see the article on threads and blocking.
public final class CurlTransport: Transport {
  /// The transport that is used by default; created on first use.
  ///
  /// - Throws: `CurlUnavailableError` if libcurl cannot be used.
  public static var shared: CurlTransport {
    get throws(CurlUnavailableError) { try standard.get() }
  }

  private static let standard = Result<CurlTransport, CurlUnavailableError> {
    () throws(CurlUnavailableError) in try CurlTransport()
  }

  let loops: CurlLoops
  private let credentials: CredentialTable
  private let identities: HostTable<CurlConfiguration.TLS.ClientIdentity>
  private let keepsCookies: Bool
  private let redirects: RedirectPolicy

  /// `User-Agent`, which some services require, and `Accept-Language`, with the values of the configuration.
  ///
  /// `Accept` and `Accept-Encoding` are sent as well.
  public let defaultHeaders: HTTPHeaders

  /// Creates a transport with its own connections.
  ///
  /// - Throws: `CurlUnavailableError` if libcurl cannot be used.
  public convenience init() throws(CurlUnavailableError) {
    try self.init(library: .system())
  }

  /// Creates a transport with its own connections.
  ///
  /// - Parameter configuration: the settings.
  /// - Throws: `CurlConfigurationError` if libcurl cannot be used, or does not support the configuration.
  public convenience init(configuration: CurlConfiguration) throws(CurlConfigurationError) {
    let library: CurlLibrary
    do throws(CurlUnavailableError) {
      library = try .system()
    } catch {
      throw .unavailable(error)
    }
    try self.init(library: library, configuration: configuration)
  }

  /// Creates a transport with a library that was opened by name.
  package convenience init(library: CurlLibrary) throws(CurlUnavailableError) {
    do throws(CurlConfigurationError) {
      try self.init(library: library, configuration: CurlConfiguration())
    } catch {
      throw CurlUnavailableError(reason: error.localizedDescription)
    }
  }

  /// Creates a transport with a library that was opened by name.
  package init(
    library: CurlLibrary, configuration: CurlConfiguration
  ) throws(CurlConfigurationError) {
    defaultHeaders = try configuration.defaultHeaders
    credentials = try CredentialTable(configuration.credentials)
    identities = HostTable(configuration.tls.clientIdentities)
    keepsCookies = configuration.cookies != .none
    redirects = configuration.redirects
    loops = try CurlLoops(library: library, configuration: configuration)
  }

  deinit {
    loops.shutDown()
  }

  /// Starts a transfer and returns at once; see ``Transport``.
  ///
  /// Handlers are called on a thread other than the one that carries the transfers, unless the request sets
  /// `deliversOnLoop`. A handler that blocks delays the further events of its own transfer, and pauses its
  /// sender. It delays the events of other transfers, and the targets of their redirects, by a few milliseconds,
  /// until another thread calls their handlers; up to 256 handlers may block at a time. A handler that computes
  /// delays them by up to two seconds, because another thread would only compete with it for the processors.
  /// Neither delays what other transfers do on the network, nor their time-outs or cancellations.
  public func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    RedirectFollowingTransfer.start(
      request, over: loops, isWithinTransport: true, redirects, handler: handler)
  }
}

extension CurlTransport {
  /// `true`: each transfer can be paused.
  public var pausesTransfers: Bool { true }

  /// `true`: a request can switch its connection to another protocol.
  public var upgradesConnections: Bool { true }

  /// Whether the loop calls such a handler itself, and nothing in between blocks: unless a closure decides about
  /// redirects.
  public var deliversWithoutBlocking: Bool { redirects.decision == nil }

  /// Returns `.cookies` if the transport keeps cookies and the request uses them, and `.credential` if the
  /// configuration has a credential for the request's origin, or a client certificate for its host.
  ///
  /// - Parameter request: the request.
  /// - Returns: the cookies and credentials.
  public func addedCredentials(to request: TransportRequest) -> AddedCredentials {
    guard keepsCookies || !credentials.isEmpty || !identities.isEmpty else { return [] }
    var added: AddedCredentials = keepsCookies && request.handlesCookies ? .cookies : []
    guard let origin = Origin(url: request.url) else { return added }
    // A certificate counts whatever the request's own fields are.
    if origin.isSecure && identities[origin.host] != nil
      || request.headers["Authorization"] == nil && credentials[origin] != nil
    {
      added.insert(.credential)
    }
    return added
  }
}

extension CurlTransport {
  /// The maximum number of bytes in the heads of a response, informational ones and trailers included.
  static let headLimit = 256 << 10
  /// The maximum number of fields in them: the limit of libcurl 8.23, applied here for all versions.
  static let fieldLimit = 5_000
  /// The maximum number of times that a server may request credentials: once, once more with a new nonce, and
  /// some in reserve.
  static let challengeLimit = 8
  /// The maximum number of connections that a server may leave before a request fails; libcurl's own limit
  /// for refused streams.
  static let goAwayLimit = 5
  /// The time in nanoseconds that a transfer with a complete response waits for the server to accept more of
  /// its body.
  static let earlyResponseLimit: UInt64 = 3_000_000_000
  /// The bytes that libcurl reads at a time: more than its default of 16 KiB, because libcurl (7.88) often reads
  /// only one buffer per iteration.
  static let bufferSize = 64 << 10
  /// The maximum number of bytes of a body that are received before they are delivered, plus at most one
  /// buffer.
  static let deliveryLimit = 128 << 10
  /// The same for an HTTP/2 or HTTP/3 stream whose receiver is slow.
  static let streamDeliveryLimit = 1 << 20
  /// The number of bytes received at once from which a body counts as long.
  static let longBody = 32 << 10
  /// The maximum number of easy handles that are kept for later transfers.
  static let idleHandleLimit = 256

  /// The maximum number of connections by default: three quarters of the file descriptors that the process
  /// may have, from 16 to 49,152.
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
