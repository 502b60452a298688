import Foundation
internal import ReactiveNetworkLock

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension TransportRequest {
  /// Converts a `URLRequest` into the request for a transport.
  ///
  /// An `httpBodyStream` is read while it is sent, and only once.
  ///
  /// - Parameters:
  ///   - request: the request of a target's endpoint, possibly changed by plugins.
  ///   - target: the target, which shows whether the limits that every `URLRequest` has from the start were
  ///     set explicitly.
  ///   - reportsProgress: whether the transport reports `.sent` events.
  /// - Throws: `NetworkError.underlying` for a request without a URL, `.parameterEncoding` with a
  ///   `MultipartError` for a form that cannot be sent.
  init(
    _ request: URLRequest, of target: (any TargetType)?, reportsProgress: Bool = false
  ) throws(NetworkError) {
    guard let url = request.url else { throw .underlying(TransferError.unsupportedURL(""), nil) }
    let method = request.httpMethod.map(HTTPMethod.init(rawValue:)) ?? .get
    var headers = request.allHTTPHeaderFields.map { HTTPHeaders($0) } ?? [:]
    let body: Body
    if let data = request.httpBody {
      body = .data(data)
    } else if let carried = request.httpBodyStream as? BodyPlaceholder {
      switch carried.content {
      case .body(let content): body = content
      case .form(let form):
        body = .stream(try form.sendable(with: method))
        if headers["Content-Type"] == nil { headers.add(.contentType(form.contentType)) }
      }
    } else if let stream = request.httpBodyStream {
      body = .stream(BodyStream(stream))
    } else {
      body = .none
    }
    self.init(
      method: method, url: url.absoluteString, headers: headers, body: body,
      idleTimeout: request.explicitTimeout(of: target), reportsProgress: reportsProgress)
    reportsMetrics = true
    explicitCachePolicy = request.explicitCachePolicy(of: target).map { CachePolicy($0) }
    handlesCookies = request.httpShouldHandleCookies
  }
}

extension TransportRequest.CachePolicy {
  init(_ policy: URLRequest.CachePolicy) {
    switch policy {
    case .useProtocolCachePolicy: self = .useProtocol
    case .reloadIgnoringLocalCacheData: self = .reload
    case .reloadIgnoringLocalAndRemoteCacheData: self = .reloadEverywhere
    case .reloadRevalidatingCacheData: self = .revalidate
    case .returnCacheDataElseLoad: self = .storedElseLoad
    case .returnCacheDataDontLoad: self = .storedOnly
    @unknown default: self = .useProtocol
    }
  }
}

extension MultipartFormData {
  fileprivate func sendable(with method: HTTPMethod) throws(NetworkError) -> BodyStream {
    do throws(MultipartError) {
      return try body(for: method)
    } catch {
      throw .parameterEncoding(error)
    }
  }
}

extension URLRequest {
  /// The limit that was set explicitly; `nil` if it equals the default of every request and the target has
  /// not set it.
  func explicitTimeout(of target: (any TargetType)?) -> Duration? {
    // The target's own value, because a number of seconds may be rounded.
    if let timeout = target?.timeout, timeout.inSeconds == timeoutInterval { return timeout }
    let timeout = Duration.inSeconds(timeoutInterval)
    return timeout == TransportRequest.standardIdleTimeout ? nil : timeout
  }

  /// The policy that was set explicitly; `nil` if it equals the default of every request and the target has
  /// not set it.
  func explicitCachePolicy(of target: (any TargetType)?) -> CachePolicy? {
    let policy = cachePolicy
    return policy == .useProtocolCachePolicy && target?.cachePolicy != policy ? nil : policy
  }

  /// Whether progress counts the request body, not the response body.
  var isUpload: Bool {
    httpBodyStream is BodyPlaceholder
      || (httpBody?.count ?? 0) >= ResponseAccumulator.smallestUploadWithProgress
  }
}
