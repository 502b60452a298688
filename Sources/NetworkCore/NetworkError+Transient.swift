package import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension NetworkError {
  /// Whether a retry may succeed: the transfer failed for a reason that can pass, such as a lost connection
  /// or a time-out, the status is one of `RetryPolicy.defaultRetryableHTTPStatusCodes`, or the server of a
  /// WebSocket has not answered pings or has closed with 1011 to 1014 (an error, a restart, overload, a gateway).
  public var isTransient: Bool {
    mayPass(
      codes: RetryPolicy.defaultRetryableURLErrorCodes, statuses: RetryPolicy.defaultRetryableHTTPStatusCodes,
      statusCode: response?.statusCode)
  }

  /// Whether the transfer has failed with one of these codes, or else the status is one of these, or a WebSocket has
  /// closed for a reason that can pass.
  func mayPass(codes: Set<URLError.Code>, statuses: Set<Int>, statusCode: Int?) -> Bool {
    if let error = webSocketError { return error.isTransient }
    if let code = urlErrorCode { return codes.contains(code) }
    return statusCode.map(statuses.contains) ?? false
  }

  /// The reason why a WebSocket has ended; `nil` if the error is not about one.
  var webSocketError: WebSocketError? {
    if case .underlying(let error as WebSocketError, _) = self { error } else { nil }
  }

  /// Foundation's code for the failure of the transfer; `nil` if the error is not about the transfer.
  package var urlErrorCode: URLError.Code? {
    guard case .underlying(let error, _) = self else { return nil }
    // A `TransferError` without a code must not become one of `.unknown`.
    if let error = error as? TransferError { return error.urlErrorCode }
    return URLError(bridging: error)?.code
  }
}

extension Response {
  /// The error that the response counts as if nothing has filtered it: `.statusCode` for a status of 400 or
  /// more, otherwise `nil`.
  ///
  /// Retries, refreshes, caches and hedges see the same failures with and without a filter; whether a failure may
  /// pass is for the error's `isTransient` to say.
  package var failure: NetworkError? { statusCode >= 400 ? .statusCode(self) : nil }
}

extension WebSocketError {
  var isTransient: Bool {
    switch self {
    case .noPong: true
    case .closed(let code?, _): (1011...1014).contains(code.rawValue)
    default: false
    }
  }
}
