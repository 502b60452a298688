public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Makes a result of what a client of one's own got.
///
/// - Parameters:
///   - response: the head of the answer.
///   - request: the request that was answered.
///   - data: the body.
///   - error: why there is no answer, or only part of one.
/// - Returns: the answer where there is a head and no error; otherwise `NetworkError.underlying`, with a `URLError`
///   (`unknown`) where nothing at all was given.
public func convertResponseToResult(
  _ response: HTTPURLResponse?, request: URLRequest?, data: Data?, error: (any Error)?
) -> Result<Response, NetworkError> {
  let answer = response.map {
    Response(statusCode: $0.statusCode, data: data ?? Data(), request: request, response: $0)
  }
  if let error { return .failure(.underlying(error, answer)) }
  return answer.map { .success($0) } ?? .failure(.underlying(URLError(.unknown), nil))
}
