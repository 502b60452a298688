public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Returns a result made from the values that another HTTP client delivered.
///
/// - Parameters:
///   - response: the head of the response.
///   - request: the request of the response.
///   - data: the body.
///   - error: the reason why the response is missing or incomplete.
/// - Returns: the response if there is a head and no error; otherwise `NetworkError.underlying`, with a
///   `URLError` (`unknown`) if there is neither a head nor an error.
public func convertResponseToResult(
  _ response: HTTPURLResponse?, request: URLRequest?, data: Data?, error: (any Error)?
) -> Result<Response, NetworkError> {
  let converted = response.map {
    Response(statusCode: $0.statusCode, data: data ?? Data(), request: request, response: $0)
  }
  if let error { return .failure(.underlying(error, converted)) }
  return converted.map { .success($0) } ?? .failure(.underlying(URLError(.unknown), nil))
}
