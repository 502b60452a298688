import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension TransportRequest {
  /// What a transport sends for a `URLRequest`.
  ///
  /// An `httpBodyStream` is read as it is sent, and once only.
  ///
  /// - Throws: `NetworkError.underlying` for a request without a URL or a file that cannot be read, `.parameterEncoding` with a
  ///   `MultipartError` for a form that cannot be sent.
  init(_ request: URLRequest, reportsProgress: Bool = false) throws(NetworkError) {
    guard let url = request.url else { throw .underlying(TransferError.unsupportedURL(""), nil) }
    let method = request.httpMethod.map(HTTPMethod.init(rawValue:)) ?? .get
    var headers = request.allHTTPHeaderFields.map { HTTPHeaders($0) } ?? [:]
    let body: Body
    if let data = request.httpBody {
      body = .data(data)
    } else if let carried = request.httpBodyStream as? CarriedBody {
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
      idleTimeout: request.timeoutInterval,
      reportsProgress: reportsProgress)
    reportsMetrics = true
    cachePolicy = CachePolicy(request.cachePolicy)
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
    do {
      return try body(for: method)
    } catch let error as MultipartError {
      throw .parameterEncoding(error)
    } catch {
      throw .underlying(error, nil)
    }
  }
}

extension URLRequest {
  /// Whether the progress to tell of is that of the body being sent.
  var isUpload: Bool {
    httpBodyStream is CarriedBody || (httpBody?.count ?? 0) >= TransferRecord.smallestUploadWithProgress
  }
}
