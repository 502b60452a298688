import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension NetworkError {
  /// Whether the reason may have passed when the request is sent again: no connection, no answer in time and the like, or a
  /// status of `RetryPolicy.defaultRetryableHTTPStatusCodes`.
  public var isTransient: Bool {
    if let code = urlErrorCode { return RetryPolicy.defaultRetryableURLErrorCodes.contains(code) }
    return response.map { RetryPolicy.defaultRetryableHTTPStatusCodes.contains($0.statusCode) } ?? false
  }

  /// The code that Foundation has for what happened to the transfer, `nil` where an answer could not be used.
  var urlErrorCode: URLError.Code? {
    if let code = transferError?.urlErrorCode { return code }
    if case .underlying(let error as URLError, _) = self { return error.code }
    return nil
  }
}
