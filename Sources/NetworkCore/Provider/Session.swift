#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// What carries the requests of a provider, in the shape that code written for Moya and Alamofire has it.
///
/// ```swift
/// let configuration = URLSessionConfiguration.default
/// configuration.headers = .default
/// configuration.timeoutIntervalForRequest = 20
/// let provider = MoyaProvider<GitHub>(session: Session(configuration: configuration))
/// ```
///
/// It is a `Transport` around another one. Adapters and retriers get the provider's session, and may send requests of
/// their own with it.
open class Session: Transport, @unchecked Sendable {
  // `@unchecked Sendable` because subclassing is allowed: all properties are constants of `Sendable` types, and a
  // subclass must keep what it adds safe to use from several threads.

  /// What is used where nothing else is said.
  public static let `default` = Session()

  /// What carries the requests in the end.
  public let transport: any Transport
  /// What changes requests and decides about retries, before a provider's own interceptors.
  public let interceptor: (any RequestInterceptor)?
  private let additions: Additions

  /// What a session adds to its transport.
  private struct Additions: Sendable {
    var headers: HTTPHeaders = [:]
    var idleTimeout: TimeInterval?
    var cachePolicy = TransportRequest.CachePolicy.useProtocol
  }

  /// Makes a session around a transport.
  ///
  /// - Parameters:
  ///   - transport: what carries the requests; `nil` for the platform's best, which all providers share.
  ///   - interceptor: what changes requests and decides about retries.
  public init(transport: (any Transport)? = nil, interceptor: (any RequestInterceptor)? = nil) {
    self.transport = transport ?? defaultTransport()
    self.interceptor = interceptor
    self.additions = Additions()
  }

  /// Makes a session with connections of its own, over libcurl.
  ///
  /// Of the configuration these are used: `httpAdditionalHeaders`, `timeoutIntervalForRequest`,
  /// `timeoutIntervalForResource`, `requestCachePolicy`, `httpMaximumConnectionsPerHost` where it is not Foundation's
  /// own, and whether cookies are kept (in memory). What cannot be carried out, such as the evaluator of a certificate
  /// that is none, ends every request with that error.
  ///
  /// - Parameters:
  ///   - configuration: how to talk to servers.
  ///   - startRequestsImmediately: of no effect: a provider's requests always start.
  ///   - interceptor: what changes requests and decides about retries.
  ///   - serverTrustManager: what the certificates of hosts are checked for; `nil` for the usual checks.
  ///   - redirectHandler: what is done with redirects.
  public init(
    configuration: URLSessionConfiguration, startRequestsImmediately: Bool = true,
    interceptor: (any RequestInterceptor)? = nil, serverTrustManager: ServerTrustManager? = nil,
    redirectHandler: RedirectPolicy = .follow
  ) {
    var settings = CurlConfiguration(configuration)
    settings.serverTrustManager = serverTrustManager
    settings.redirects = redirectHandler
    transport = Self.carrier(settings)
    self.interceptor = interceptor
    additions = Additions(
      headers: configuration.headers, idleTimeout: configuration.timeoutIntervalForRequest,
      cachePolicy: TransportRequest.CachePolicy(configuration.requestCachePolicy))
  }

  /// Makes a session that checks certificates its own way.
  ///
  /// - Parameters:
  ///   - interceptor: what changes requests and decides about retries.
  ///   - serverTrustManager: what the certificates of hosts are checked for.
  ///   - redirectHandler: what is done with redirects.
  public convenience init(
    interceptor: (any RequestInterceptor)? = nil, serverTrustManager: ServerTrustManager,
    redirectHandler: RedirectPolicy = .follow
  ) {
    self.init(
      configuration: .default, interceptor: interceptor, serverTrustManager: serverTrustManager,
      redirectHandler: redirectHandler)
  }

  /// The fields that are added to requests that do not set them: the transport's and the configuration's.
  open var defaultHeaders: HTTPHeaders {
    var headers = transport.defaultHeaders
    for field in additions.headers { headers.update(field) }
    return headers
  }

  /// Starts a transfer, after adding what the configuration says and the request does not; see `Transport`.
  open func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    var request = request
    for field in additions.headers where request.headers[field.name] == nil { request.headers.add(field) }
    // What a URLRequest says of which nobody has said anything.
    if let idleTimeout = additions.idleTimeout, request.idleTimeout == 60 {
      request.idleTimeout = idleTimeout
    }
    if request.cachePolicy == .useProtocol { request.cachePolicy = additions.cachePolicy }
    return transport.start(request, handler: handler)
  }

  private static func carrier(_ settings: CurlConfiguration) -> any Transport {
    do throws(CurlConfigurationError) {
      return try CurlTransport(configuration: settings)
    } catch {
      return UnusableTransport(reason: error.localizedDescription)
    }
  }
}

extension CurlConfiguration {
  fileprivate init(_ configuration: URLSessionConfiguration) {
    self.init()
    timeouts.total = configuration.timeoutIntervalForResource
    // Six in Foundation, where nobody has chosen: what browsers did before HTTP/2.
    let limit = configuration.httpMaximumConnectionsPerHost
    if limit != URLSessionConfiguration.default.httpMaximumConnectionsPerHost {
      connections.limitPerHost = max(1, limit)
    }
    let keepsCookies =
      configuration.httpShouldSetCookies && configuration.httpCookieStorage != nil
      && configuration.httpCookieAcceptPolicy != .never
    cookies = keepsCookies ? .memory : .none
  }
}

extension URLSessionConfiguration {
  /// The header fields that are added to each request, sorted by name.
  public var headers: HTTPHeaders {
    get {
      let fields = (httpAdditionalHeaders ?? [:]).map { name, value in ("\(name)", "\(value)") }
      return HTTPHeaders([String: String](fields, uniquingKeysWith: { first, _ in first }))
    }
    set { httpAdditionalHeaders = newValue.dictionary }
  }
}

/// Ends every request with the reason for which there is no better transport.
struct UnusableTransport: Transport {
  private struct Ended: Cancellable {
    var isCancelled: Bool { false }
    func cancel() {}
  }

  let reason: String

  func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    let error = TransferError.other(code: 0, reason: "The session cannot be used: \(reason)")
    DispatchQueue.global().async { handler(.finished(error)) }
    return Ended()
  }
}
