import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension TransportRequest {
  /// What a transport sends for a `URLRequest`.
  ///
  /// An `httpBodyStream` is read as it is sent, and once only.
  ///
  /// - Throws: `NetworkError.underlying` for a request without a URL.
  init(_ request: URLRequest, reportsProgress: Bool = false) throws(NetworkError) {
    guard let url = request.url else { throw .underlying(TransferError.unsupportedURL(""), nil) }
    let body: Body =
      if let data = request.httpBody {
        .data(data)
      } else if let stream = request.httpBodyStream {
        .stream(BodyStream(stream))
      } else {
        .none
      }
    self.init(
      method: request.httpMethod.map(HTTPMethod.init(rawValue:)) ?? .get, url: url.absoluteString,
      headers: request.allHTTPHeaderFields.map { HTTPHeaders($0) } ?? [:],
      body: body, idleTimeout: request.timeoutInterval,
      reportsProgress: reportsProgress)
    reportsMetrics = true
  }
}
