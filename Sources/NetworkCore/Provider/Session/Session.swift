public import Dispatch
internal import ReactiveNetworkLock

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// The session that carries the requests of a provider, with the initialisers that code for Moya and
/// Alamofire uses.
///
/// ```swift
/// let configuration = URLSessionConfiguration.default
/// configuration.headers = .default
/// configuration.timeoutIntervalForRequest = 20
/// let provider = NetworkProvider<GitHub>(session: Session(configuration: configuration))
/// ```
///
/// It is a `Transport` around another one. Adapters and retriers get the provider's session, and may send
/// their own requests with it.
open class Session: TransportLayer, @unchecked Sendable {
  // `@unchecked Sendable` because subclassing is allowed: all properties are constants of `Sendable` types. A
  // subclass must make its own properties safe to use from several threads.

  /// The default session.
  public static let `default` = Session()

  /// The transport that the session wraps.
  public let transport: any Transport
  /// The same transport, as that of a layer.
  public var wrapped: any Transport { transport }
  /// The interceptor, which runs before a provider's own interceptors.
  public let interceptor: (any RequestInterceptor)?
  /// The cache of responses, if the configuration has a `urlCache`; `nil` otherwise.
  public let cache: HTTPCache?
  /// What to do with redirects that the transport does not follow.
  private let redirects: RedirectPolicy
  private let requestDefaults: RequestDefaults
  /// Whether requests start by themselves in Alamofire; ignored, because a provider's requests always do.
  ///
  /// `false` for the session that a provider makes for itself, as in Moya.
  public let startRequestsImmediately: Bool
  /// The configuration that the session was created with; `nil` if it was created around a transport.
  private let configuration: URLSessionConfiguration?
  /// The active requests of all providers that use this session.
  let requests: RunningRequests
  private let sessionObservers = Lock([any RequestObserver]())
  /// The session inside the layers of the transport, whose settings apply; `nil` if there is none.
  private let inner: Session?

  /// The settings that a session adds to its transport.
  private struct RequestDefaults: Sendable {
    var headers: HTTPHeaders = [:]
    /// In seconds, as Foundation has it.
    var timeoutInterval: TimeInterval?
    var cachePolicy: URLRequest.CachePolicy?

    var idleTimeout: Duration? { timeoutInterval.map { .inSeconds($0) } }
  }

  /// Makes a session around a transport.
  ///
  /// The session has an interceptor, observers and requests of its own. If the transport consists of layers around
  /// another session, those of that session do not apply. To keep them, pass the layers to a provider instead, as
  /// its `transport`.
  ///
  /// - Parameters:
  ///   - transport: the transport; `nil` for the platform's best, which all providers share.
  ///   - interceptor: the interceptor, which changes requests and decides about retries.
  ///   - redirectHandler: the handler of redirects that the transport does not follow by itself.
  public init(
    transport: (any Transport)? = nil, interceptor: (any RequestInterceptor)? = nil,
    redirectHandler: (any RedirectHandler)? = nil
  ) {
    self.transport = transport ?? defaultTransport()
    self.interceptor = interceptor
    redirects = redirectHandler.map(RedirectPolicy.init) ?? .doNotFollow
    self.requestDefaults = RequestDefaults()
    startRequestsImmediately = true
    configuration = nil
    cache = nil
    inner = nil
    requests = RunningRequests()
  }

  /// Makes the session of a provider that was created without one, which starts its requests itself.
  ///
  /// Layers around a session keep its interceptor, observers, defaults and requests.
  init(ofProviderOver transport: any Transport) {
    inner = Session.innermost(of: transport)
    self.transport = transport
    interceptor = inner?.interceptor
    redirects = .doNotFollow
    requestDefaults = inner?.requestDefaults ?? RequestDefaults()
    startRequestsImmediately = inner?.startRequestsImmediately ?? false
    configuration = inner?.configuration
    cache = inner?.cache
    requests = inner?.requests ?? RunningRequests()
  }

  private static func innermost(of transport: any Transport) -> Session? {
    var transport = transport
    while let layer = transport as? any TransportLayer {
      if let session = layer as? Session { return session }
      transport = layer.wrapped
    }
    return nil
  }

  /// Makes a session with separate connections, over libcurl.
  ///
  /// The properties of the configuration have these effects:
  ///
  /// - `httpAdditionalHeaders`, `timeoutIntervalForRequest`, `timeoutIntervalForResource` and
  ///   `requestCachePolicy` apply, and so does `httpMaximumConnectionsPerHost` if it differs from
  ///   Foundation's default. A request's own limit and policy take precedence. A `URLRequest` does not show
  ///   whether its 60 s and `.useProtocolCachePolicy` were set explicitly: they count as set if the target
  ///   (`timeout`, `cachePolicy`), an interceptor or a plugin sets them, but not if `modify(_:)` or a
  ///   `requestClosure` does.
  /// - `connectionProxyDictionary` names the proxies for HTTP, HTTPS and SOCKS, and the exceptions; an
  ///   exception includes its subdomains. An empty dictionary means no proxy, and `nil` means the
  ///   environment's proxies. A proxy script cannot be run.
  /// - `urlCache`: responses are stored as HTTP allows (RFC 9111), in `cache`, which keeps them in memory, up
  ///   to the `memoryCapacity` of the `URLCache`. The `URLCache` itself stays empty.
  /// - `protocolClasses`: a request that one of them accepts goes to it through Foundation's `URLSession`,
  ///   with the restrictions of `URLSessionTransport`.
  /// - `httpShouldSetCookies`, `httpCookieAcceptPolicy` and `httpCookieStorage` decide whether cookies are
  ///   stored: in memory, for this session only. The storage itself is neither read nor written. A request
  ///   may have its own `Cookie`.
  /// - `urlCredentialStorage`, `httpShouldUsePipelining`, `networkServiceType`, `allowsCellularAccess`,
  ///   `isDiscretionary` and `identifier` are ignored: a plugin provides credentials, and there are no
  ///   background sessions.
  ///
  /// A setting that cannot be applied, such as the evaluator of an invalid certificate or a proxy without a
  /// port, makes every request fail; the error gives the reason.
  ///
  /// - Parameters:
  ///   - configuration: the configuration, which is copied.
  ///   - rootQueue: ignored, because the transport has its own threads.
  ///   - startRequestsImmediately: ignored, because a provider's requests always start.
  ///   - interceptor: the interceptor, which changes requests and decides about retries.
  ///   - serverTrustManager: the checks of the hosts' certificates; `nil` for the default checks.
  ///   - redirectHandler: the handler of redirects; `nil` to follow them.
  public init(
    configuration: URLSessionConfiguration, rootQueue: DispatchQueue? = nil,
    startRequestsImmediately: Bool = true,
    interceptor: (any RequestInterceptor)? = nil, serverTrustManager: ServerTrustManager? = nil,
    redirectHandler: (any RedirectHandler)? = nil
  ) {
    self.startRequestsImmediately = startRequestsImmediately
    self.configuration = configuration.copy() as? URLSessionConfiguration
    let follows = redirectHandler?.followsAll ?? true
    let configured = ConfiguredTransport(configuration, trust: serverTrustManager, followsRedirects: follows)
    transport = configured.transport
    cache = configured.cache
    inner = nil
    requests = RunningRequests()
    self.interceptor = interceptor
    redirects =
      if follows {
        configured.followsRedirects ? .doNotFollow : .follow
      } else if let redirectHandler, !redirectHandler.followsNone {
        RedirectPolicy(redirectHandler)
      } else {
        .doNotFollow
      }
    var headers = configuration.headers
    // The transport offers what it can decode, which does not include Brotli on every system.
    if headers["Accept-Encoding"] == HTTPHeader.defaultAcceptEncoding.value {
      headers.remove(name: "Accept-Encoding")
    }
    requestDefaults = RequestDefaults(
      headers: headers, timeoutInterval: configuration.timeoutIntervalForRequest,
      cachePolicy: configuration.requestCachePolicy)
  }

  /// Makes a session with custom checks of certificates.
  ///
  /// - Parameters:
  ///   - interceptor: the interceptor, which changes requests and decides about retries.
  ///   - serverTrustManager: the checks of the hosts' certificates.
  ///   - redirectHandler: the handler of redirects; `nil` to follow them.
  public convenience init(
    interceptor: (any RequestInterceptor)? = nil, serverTrustManager: ServerTrustManager,
    redirectHandler: (any RedirectHandler)? = nil
  ) {
    self.init(
      configuration: .default, interceptor: interceptor, serverTrustManager: serverTrustManager,
      redirectHandler: redirectHandler)
  }

  /// A copy of the configuration that the session was created with; Foundation's default if it was created
  /// around a transport.
  public var sessionConfiguration: URLSessionConfiguration {
    configuration?.copy() as? URLSessionConfiguration ?? .default
  }

  /// Cancels the requests of all providers that use this session; each completes with
  /// `NetworkError.cancelled`.
  ///
  /// All transfers are cancelled before the first completion runs. Requests that start meanwhile may or may
  /// not be cancelled. You may call it on any thread.
  ///
  /// - Parameters:
  ///   - queue: the queue of `completion`.
  ///   - completion: called when every request has been cancelled; callbacks on queues may still be pending.
  @preconcurrency public func cancelAllRequests(
    completingOnQueue queue: DispatchQueue = .main, completion: (@Sendable () -> Void)? = nil
  ) {
    for deliver in requests.all.compactMap({ $0.cancelWork() }) { deliver() }
    if let completion { queue.async(execute: completion) }
  }

  /// The observers that each provider created with this session gets.
  var observers: [any RequestObserver] { (inner?.observers ?? []) + sessionObservers.withLock { $0 } }

  /// Adds observers, for the providers that are created later.
  package func observe(with observers: [any RequestObserver]) {
    sessionObservers.withLock { $0 += observers }
  }

  /// The header fields that are added to requests that do not set them, except `Accept-Encoding` to a request with
  /// `Range`: the transport's and the configuration's.
  open var defaultHeaders: HTTPHeaders {
    var headers = transport.defaultHeaders
    for field in requestDefaults.headers { headers.update(field) }
    return headers
  }

  /// Returns what the transport adds to a request.
  ///
  /// A subclass that adds nothing overrides this method, too: what `start` and a handler of redirects may add
  /// is not known.
  ///
  /// - Parameter request: the request.
  /// - Returns: the cookies and credentials; `.unknown` for a subclass, and with a handler of redirects.
  open func addedCredentials(to request: TransportRequest) -> AddedCredentials {
    let addsNothing = type(of: self) == Session.self && redirects.decision == nil
    return addsNothing ? transport.addedCredentials(to: request) : .unknown
  }

  /// Starts a transfer, after adding the settings of the configuration that the request lacks; see
  /// `Transport`.
  open func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    var request = request
    request.headers.addMissing(requestDefaults.headers)
    if request.explicitIdleTimeout == nil { request.explicitIdleTimeout = requestDefaults.idleTimeout }
    if request.explicitCachePolicy == nil, let policy = requestDefaults.cachePolicy {
      request.cachePolicy = TransportRequest.CachePolicy(policy)
    }
    // Without a handler, only redirects between the URLProtocol classes and the session's own transport are followed here.
    return RedirectFollowingTransfer.start(
      request, over: transport, isWithinTransport: redirects.decision == nil && cache == nil, redirects,
      handler: handler)
  }
}

extension Session {
  /// Adds the configuration's time limit and cache policy to a request that has none of its own.
  ///
  /// Called before interceptors and plugins get the request, so that the values that they set apply, even if
  /// these equal the defaults of a `URLRequest`.
  func applyDefaults(_ request: inout URLRequest, of target: any TargetType) {
    if let timeoutInterval = requestDefaults.timeoutInterval, request.explicitTimeout(of: target) == nil {
      request.timeoutInterval = timeoutInterval
    }
    if let policy = requestDefaults.cachePolicy, request.explicitCachePolicy(of: target) == nil {
      request.cachePolicy = policy
    }
  }

  /// Converts a request after `applyDefaults(_:of:)`, and treats its values as set explicitly.
  func makeTransportRequest(
    _ request: URLRequest, of target: any TargetType
  ) throws(NetworkError) -> TransportRequest {
    var outgoing = try TransportRequest(request, of: target)
    if requestDefaults.timeoutInterval != nil { outgoing.explicitIdleTimeout = outgoing.idleTimeout }
    if requestDefaults.cachePolicy != nil {
      outgoing.cachePolicy = TransportRequest.CachePolicy(request.cachePolicy)
    }
    return outgoing
  }

  /// Whether a request has the session's time limit, and its target none of its own.
  func hasDefaultTimeout(_ request: TransportRequest, of target: any TargetType) -> Bool {
    target.timeout == nil && request.explicitIdleTimeout == requestDefaults.idleTimeout
  }
}

extension RedirectHandler {
  fileprivate var followsAll: Bool {
    if case .follow? = (self as? Redirector)?.behavior { true } else { false }
  }

  fileprivate var followsNone: Bool {
    if case .doNotFollow? = (self as? Redirector)?.behavior { true } else { false }
  }
}
