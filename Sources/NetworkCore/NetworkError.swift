/// Why a request failed, or why its answer could not be used.
///
/// A cancelled request has one shape, `NetworkError.cancelled`, recognised by `isCancelled`; an unwelcome status code
/// has one shape, `.statusCode`, whether `validationType`, a filter or a stub found it.
public enum NetworkError: Error, Sendable {
  /// The body is not an image.
  case imageMapping(Response)
  /// The body is not JSON, or has nothing at the key path.
  case jsonMapping(Response)
  /// The body is not UTF-8 text, or has no text at the key path.
  case stringMapping(Response)
  /// The body could not be decoded; with the decoder's error.
  case objectMapping(any Error, Response)
  /// The value to send could not be encoded; with the encoder's error.
  case encodableMapping(any Error)
  /// The status code is not one of those that were asked for.
  case statusCode(Response)
  /// The transfer failed; with the reason, mostly a `TransferError`, and what had arrived of the answer.
  case underlying(any Error, Response? = nil)
  /// The endpoint's URL, given here, is not one.
  case requestMapping(String)
  /// The parameters to send could not be encoded; with the encoding's error.
  case parameterEncoding(any Error)
}

extension NetworkError {
  /// What every cancelled request fails with.
  public static var cancelled: NetworkError { .underlying(TransferError.cancelled, nil) }

  /// Whether the request was cancelled.
  public var isCancelled: Bool { transferError == .cancelled }

  /// Why the transfer failed, `nil` where something else did.
  public var transferError: TransferError? {
    guard case .underlying(let error, _) = self else { return nil }
    return error as? TransferError
  }

  /// The answer that could not be used, `nil` where there was none.
  public var response: Response? {
    switch self {
    case .imageMapping(let response), .jsonMapping(let response), .stringMapping(let response),
      .objectMapping(_, let response), .statusCode(let response):
      response
    case .underlying(_, let response): response
    case .encodableMapping, .requestMapping, .parameterEncoding: nil
    }
  }

  var underlyingError: (any Error)? {
    switch self {
    case .objectMapping(let error, _), .underlying(let error, _): error
    case .encodableMapping(let error), .parameterEncoding(let error): error
    case .imageMapping, .jsonMapping, .stringMapping, .statusCode, .requestMapping: nil
    }
  }
}
