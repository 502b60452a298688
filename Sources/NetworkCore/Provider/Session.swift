public import Dispatch

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
  /// What a configuration with a `urlCache` has the answers kept in; `nil` without one.
  public let cache: HTTPCache?
  /// What decides about redirects that the transport does not follow.
  private let redirectHandler: (any RedirectHandler)?
  private let additions: Additions
  /// Whether requests start by themselves in Alamofire; of no effect, because a provider's requests always do.
  public let startRequestsImmediately: Bool
  /// The configuration that the session was made with; `nil` if it was made around a transport.
  private let configuration: URLSessionConfiguration?
  /// The requests of providers that have not ended.
  let requests = RunningRequests()

  /// What a session adds to its transport.
  private struct Additions: Sendable {
    var headers: HTTPHeaders = [:]
    var idleTimeout: TimeInterval?
    var cachePolicy: URLRequest.CachePolicy?
  }

  /// Makes a session around a transport.
  ///
  /// - Parameters:
  ///   - transport: what carries the requests; `nil` for the platform's best, which all providers share.
  ///   - interceptor: what changes requests and decides about retries.
  ///   - redirectHandler: what decides about redirects that the transport does not follow by itself.
  public init(
    transport: (any Transport)? = nil, interceptor: (any RequestInterceptor)? = nil,
    redirectHandler: (any RedirectHandler)? = nil
  ) {
    self.transport = transport ?? defaultTransport()
    self.interceptor = interceptor
    self.redirectHandler = redirectHandler
    self.additions = Additions()
    startRequestsImmediately = true
    configuration = nil
    cache = nil
  }

  /// Makes a session with connections of its own, over libcurl.
  ///
  /// What becomes of the configuration:
  ///
  /// - `httpAdditionalHeaders`, `timeoutIntervalForRequest`, `timeoutIntervalForResource` and `requestCachePolicy` count, and
  ///   so does `httpMaximumConnectionsPerHost` where it is not Foundation's own.
  ///   A request's own limit and policy count before them. A `URLRequest` does not tell whether its 60 s and
  ///   `.useProtocolCachePolicy` have been set: they count if the target (`timeout`, `cachePolicy`), an interceptor or a plugin
  ///   sets them, but not if `modify(_:)` or a `requestClosure` does.
  /// - `connectionProxyDictionary` names the proxies of HTTP, HTTPS and SOCKS, with its exceptions, which stand for the names
  ///   under them, too; an empty one is for none, `nil` for those of the environment. A proxy script cannot be run.
  /// - `urlCache`: answers are kept as HTTP allows it (RFC 9111), in `cache` and so in memory, up to its `memoryCapacity`.
  ///   The `URLCache` itself stays empty.
  /// - `protocolClasses`: requests that one of them accepts go through Foundation's `URLSession` to it, with what
  ///   `URLSessionTransport` says of itself.
  /// - `httpShouldSetCookies`, `httpCookieAcceptPolicy` and `httpCookieStorage` say whether cookies are kept: in memory, for
  ///   this session alone. The storage itself is neither asked nor written to; a request may have a `Cookie` of its own.
  /// - Of no effect are `urlCredentialStorage`, `httpShouldUsePipelining`, `networkServiceType`, `allowsCellularAccess`,
  ///   `isDiscretionary` and `identifier`: a plugin gives credentials, and there are no background sessions.
  ///
  /// What cannot be carried out, such as the evaluator of a certificate that is none or a proxy without a port, ends every
  /// request with that error.
  ///
  /// - Parameters:
  ///   - configuration: how to talk to servers.
  ///   - rootQueue: of no effect: the transport has threads of its own.
  ///   - startRequestsImmediately: of no effect: a provider's requests always start.
  ///   - interceptor: what changes requests and decides about retries.
  ///   - serverTrustManager: what the certificates of hosts are checked for; `nil` for the usual checks.
  ///   - redirectHandler: what decides about redirects; `nil` to follow them.
  public init(
    configuration: URLSessionConfiguration, rootQueue: DispatchQueue? = nil,
    startRequestsImmediately: Bool = true,
    interceptor: (any RequestInterceptor)? = nil, serverTrustManager: ServerTrustManager? = nil,
    redirectHandler: (any RedirectHandler)? = nil
  ) {
    self.startRequestsImmediately = startRequestsImmediately
    self.configuration = configuration.copy() as? URLSessionConfiguration
    let follows = redirectHandler?.followsAll ?? true
    let carrier = SessionCarrier(configuration, trust: serverTrustManager, followsRedirects: follows)
    transport = carrier.transport
    cache = carrier.cache
    self.interceptor = interceptor
    self.redirectHandler = follows || redirectHandler?.followsNone == true ? nil : redirectHandler
    additions = Additions(
      headers: configuration.headers, idleTimeout: configuration.timeoutIntervalForRequest,
      cachePolicy: configuration.requestCachePolicy)
  }

  /// Makes a session that checks certificates its own way.
  ///
  /// - Parameters:
  ///   - interceptor: what changes requests and decides about retries.
  ///   - serverTrustManager: what the certificates of hosts are checked for.
  ///   - redirectHandler: what decides about redirects; `nil` to follow them.
  public convenience init(
    interceptor: (any RequestInterceptor)? = nil, serverTrustManager: ServerTrustManager,
    redirectHandler: (any RedirectHandler)? = nil
  ) {
    self.init(
      configuration: .default, interceptor: interceptor, serverTrustManager: serverTrustManager,
      redirectHandler: redirectHandler)
  }

  /// A copy of the configuration that the session was made with; Foundation's default if it was made around a transport.
  public var sessionConfiguration: URLSessionConfiguration {
    configuration?.copy() as? URLSessionConfiguration ?? .default
  }

  /// Cancels the requests of all providers with this session; each completes with `NetworkError.cancelled`.
  ///
  /// Requests that start meanwhile may be cancelled or not. May be called on any thread.
  ///
  /// - Parameters:
  ///   - queue: where `completion` runs.
  ///   - completion: called when every request has been cancelled; callbacks on queues may still have to run.
  @preconcurrency public func cancelAllRequests(
    completingOnQueue queue: DispatchQueue = .main, completion: (@Sendable () -> Void)? = nil
  ) {
    for request in requests.all { request.cancel() }
    if let completion { queue.async(execute: completion) }
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
    if request.ownIdleTimeout == nil { request.ownIdleTimeout = additions.idleTimeout }
    if request.ownCachePolicy == nil, let policy = additions.cachePolicy {
      request.cachePolicy = TransportRequest.CachePolicy(policy)
    }
    guard let redirectHandler else { return transport.start(request, handler: handler) }
    let transfer = RedirectedTransfer(request, over: transport, decider: redirectHandler, handler: handler)
    transfer.send()
    return transfer
  }
}

extension Session {
  /// Puts the configuration's limits into a request that has none of its own.
  ///
  /// Before interceptors and plugins see it: what these set counts, even if it is what a `URLRequest` has from the start.
  func complete(_ request: inout URLRequest, of target: any TargetType) {
    if let idleTimeout = additions.idleTimeout, request.ownTimeout(of: target) == nil {
      request.timeoutInterval = idleTimeout
    }
    if let policy = additions.cachePolicy, request.ownCachePolicy(of: target) == nil {
      request.cachePolicy = policy
    }
  }

  /// Takes what a completed request says for its own.
  func outgoing(
    _ request: URLRequest, of target: any TargetType, reportsProgress: Bool = false
  ) throws(NetworkError) -> TransportRequest {
    var outgoing = try TransportRequest(request, of: target, reportsProgress: reportsProgress)
    if additions.idleTimeout != nil { outgoing.idleTimeout = request.timeoutInterval }
    if additions.cachePolicy != nil {
      outgoing.cachePolicy = TransportRequest.CachePolicy(request.cachePolicy)
    }
    return outgoing
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
