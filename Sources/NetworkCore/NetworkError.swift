/// The reason why a request failed, or why its response could not be used.
///
/// A cancelled request always has the value `NetworkError.cancelled`; `isCancelled` recognizes it. A rejected
/// status code is always `.statusCode`, whether `validationType`, a filter or a stub rejected it.
public enum NetworkError: Error, Sendable {
  /// The body is not an image.
  case imageMapping(Response)
  /// The body is not JSON, or has nothing at the key path.
  case jsonMapping(Response)
  /// The body is not text, in UTF-8 or the encoding that it names, or has no text at the key path.
  case stringMapping(Response)
  /// The body could not be decoded.
  ///
  /// The error is the decoder's.
  case objectMapping(any Error, Response)
  /// The value to send could not be encoded.
  ///
  /// The error is the encoder's.
  case encodableMapping(any Error)
  /// The response has a status code that is not accepted.
  case statusCode(Response)
  /// The transfer failed.
  ///
  /// The error is usually a `TransferError`. The response is the part that had arrived.
  case underlying(any Error, Response? = nil)
  /// The endpoint's URL, given here, is invalid.
  case requestMapping(String)
  /// The parameters to send could not be encoded.
  ///
  /// The error is the encoding's.
  case parameterEncoding(any Error)
}

extension NetworkError {
  /// The error of every cancelled request.
  public static var cancelled: NetworkError { .underlying(TransferError.cancelled, nil) }

  /// Whether the request was cancelled.
  public var isCancelled: Bool { transferError == .cancelled }

  /// The reason why the transfer failed; `nil` if something else failed.
  public var transferError: TransferError? {
    guard case .underlying(let error, _) = self else { return nil }
    return error as? TransferError
  }

  /// The response that could not be used; `nil` if there was none.
  public var response: Response? {
    switch self {
    case .imageMapping(let response), .jsonMapping(let response), .stringMapping(let response),
      .objectMapping(_, let response), .statusCode(let response):
      response
    case .underlying(_, let response): response
    case .encodableMapping, .requestMapping, .parameterEncoding: nil
    }
  }

  /// The error that caused this one: the decoder's, the encoder's or the transfer's; `nil` if there is none.
  public var underlyingError: (any Error)? {
    switch self {
    case .objectMapping(let error, _), .underlying(let error, _): error
    case .encodableMapping(let error), .parameterEncoding(let error): error
    case .imageMapping, .jsonMapping, .stringMapping, .statusCode, .requestMapping: nil
    }
  }
}
