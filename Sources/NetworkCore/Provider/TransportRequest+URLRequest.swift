import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension TransportRequest {
  /// What a transport sends for a `URLRequest`.
  ///
  /// - Throws: `NetworkError.underlying` for a request without a URL and for one whose body is a stream.
  init(_ request: URLRequest, reportsProgress: Bool = false) throws(NetworkError) {
    guard let url = request.url else { throw .underlying(TransferError.unsupportedURL(""), nil) }
    let body = request.httpBody
    guard body != nil || request.httpBodyStream == nil else {
      throw .underlying(UnsendableBody.stream(url: url.absoluteString), nil)
    }
    self.init(
      method: request.httpMethod.map(HTTPMethod.init(rawValue:)) ?? .get, url: url.absoluteString,
      headers: request.allHTTPHeaderFields.map { HTTPHeaders($0) } ?? [:],
      body: body.map(Body.data) ?? .none, idleTimeout: request.timeoutInterval,
      reportsProgress: reportsProgress)
  }
}

/// A body that cannot be handed to a transport.
enum UnsendableBody: LocalizedError {
  case stream(url: String)

  var errorDescription: String? {
    switch self {
    case .stream(let url): "The request to \(url) has an httpBodyStream; set httpBody instead."
    }
  }
}
