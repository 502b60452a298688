public import Dispatch

#if canImport(FoundationNetworking)
  internal import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// An observer of requests, under Alamofire's name.
///
/// Its only method receives every event of every request (see `RequestEvent`). The methods of Alamofire's
/// monitors are not called, because the types of their parameters do not exist here.
public typealias EventMonitor = RequestObserver

/// Decides whether a session stores responses.
///
/// It replaces the method of Alamofire's protocol, which Foundation never calls on Linux, by a property.
@preconcurrency public protocol CachedResponseHandler: Sendable {
  /// Whether the session's cache stores responses.
  var storesResponses: Bool { get }
}

/// Stores all responses that HTTP allows a cache to store, or none.
public struct ResponseCacher: CachedResponseHandler, Hashable {
  /// Stores responses.
  public static let cache = ResponseCacher(storesResponses: true)
  /// Stores no responses.
  public static let doNotCache = ResponseCacher(storesResponses: false)

  /// Whether the session's cache stores responses.
  public let storesResponses: Bool
}

extension CachedResponseHandler where Self == ResponseCacher {
  /// Stores responses.
  public static var cache: ResponseCacher { .cache }
  /// Stores no responses.
  public static var doNotCache: ResponseCacher { .doNotCache }
}

extension Session {
  /// Makes a session with the parameters of Alamofire's initialiser that have a counterpart here; see
  /// `init(configuration:rootQueue:startRequestsImmediately:interceptor:serverTrustManager:redirectHandler:)`.
  ///
  /// - Parameters:
  ///   - configuration: the configuration, which is copied.
  ///   - rootQueue: ignored, as are the other queues, because the transport has its own threads.
  ///   - startRequestsImmediately: ignored, because a provider's requests always start.
  ///   - requestQueue: ignored.
  ///   - serializationQueue: ignored.
  ///   - interceptor: the interceptor, which changes requests and decides about retries.
  ///   - serverTrustManager: the checks of the hosts' certificates; `nil` for the default checks.
  ///   - redirectHandler: the handler of redirects; `nil` to follow them.
  ///   - cachedResponseHandler: decides whether responses are stored; `nil` stores them if the configuration
  ///     has a `urlCache`.
  ///   - eventMonitors: the observers of the requests of each provider that is created with the session.
  @_disfavoredOverload
  public convenience init(
    configuration: URLSessionConfiguration = .default, rootQueue: DispatchQueue? = nil,
    startRequestsImmediately: Bool = true, requestQueue: DispatchQueue? = nil,
    serializationQueue: DispatchQueue? = nil, interceptor: (any RequestInterceptor)? = nil,
    serverTrustManager: ServerTrustManager? = nil, redirectHandler: (any RedirectHandler)? = nil,
    cachedResponseHandler: (any CachedResponseHandler)? = nil, eventMonitors: [any EventMonitor] = []
  ) {
    let configuration = configuration.copy() as? URLSessionConfiguration ?? configuration
    if cachedResponseHandler?.storesResponses == false { configuration.urlCache = nil }
    self.init(
      configuration: configuration, rootQueue: rootQueue, startRequestsImmediately: startRequestsImmediately,
      interceptor: interceptor, serverTrustManager: serverTrustManager, redirectHandler: redirectHandler)
    observe(with: eventMonitors)
  }
}
