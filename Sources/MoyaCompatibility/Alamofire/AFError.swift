public import Foundation

/// An error with Alamofire's cases, to which ``Swift/Error/asAFError`` converts this library's errors.
///
/// Requests fail with `NetworkError`, so `error as? AFError` matches nothing; `error.asAFError` converts.
/// Only the cases that have a counterpart here exist, and all reasons why a response could not be decoded.
public enum AFError: Error, Sendable {
  /// The reason why a multipart form could not be encoded.
  public enum MultipartEncodingFailureReason: Sendable {
    /// The error of this library.
    case other(MultipartError)
  }

  /// The reason why parameters could not be encoded.
  public enum ParameterEncodingFailureReason: Sendable {
    /// An encoding threw an error.
    case customEncodingFailed(error: any Error)
  }

  /// The reason why a value could not be encoded.
  public enum ParameterEncoderFailureReason: Sendable {
    /// An encoder threw an error.
    case encoderFailed(error: any Error)
  }

  /// The reason why a response was refused.
  public enum ResponseValidationFailureReason: Sendable {
    /// The status code is not accepted.
    case unacceptableStatusCode(code: Int)
  }

  /// The reason why a response could not be decoded.
  public enum ResponseSerializationFailureReason: Sendable {
    /// The body is not JSON.
    case jsonSerializationFailed(error: any Error)
    /// The body is not text.
    case stringSerializationFailed(encoding: String.Encoding)
    /// A decoder threw an error.
    case decodingFailed(error: any Error)
    /// The body is not an image.
    case customSerializationFailed(error: any Error)
    /// The body is empty; never occurs, because an empty body is decoded as any other.
    case inputDataNilOrZeroLength
    /// A download has no file; never occurs, because `Response.fileURL` is `nil` then.
    case inputFileNil
    /// A downloaded file cannot be read; never occurs, because no file is decoded.
    case inputFileReadFailed(at: URL)
    /// A type cannot stand for an empty body; never occurs, because `EmptyBodyResponse` is the only one.
    case invalidEmptyResponse(type: String)
  }

  /// The reason why a certificate was refused.
  public enum ServerTrustFailureReason: Sendable {
    /// The check of the certificate failed.
    case customEvaluationFailed(error: any Error)
  }

  /// The request was cancelled.
  case explicitlyCancelled
  /// The URL is invalid.
  case invalidURL(url: String)
  /// A multipart form could not be encoded.
  case multipartEncodingFailed(reason: MultipartEncodingFailureReason)
  /// Parameters could not be encoded.
  case parameterEncodingFailed(reason: ParameterEncodingFailureReason)
  /// A value could not be encoded.
  case parameterEncoderFailed(reason: ParameterEncoderFailureReason)
  /// A response was refused.
  case responseValidationFailed(reason: ResponseValidationFailureReason)
  /// A response could not be decoded.
  case responseSerializationFailed(reason: ResponseSerializationFailureReason)
  /// The server's certificate was refused.
  case serverTrustEvaluationFailed(reason: ServerTrustFailureReason)
  /// The transfer failed; the error is a `URLError` if Foundation has a code for it, otherwise a `TransferError`, or
  /// the error of a custom transport.
  case sessionTaskFailed(error: any Error)
}

extension AFError {
  /// Whether the request was cancelled.
  public var isExplicitlyCancelledError: Bool {
    if case .explicitlyCancelled = self { true } else { false }
  }
  /// Whether the URL is invalid.
  public var isInvalidURLError: Bool { if case .invalidURL = self { true } else { false } }
  /// Whether a multipart form could not be encoded.
  public var isMultipartEncodingError: Bool {
    if case .multipartEncodingFailed = self { true } else { false }
  }
  /// Whether parameters could not be encoded.
  public var isParameterEncodingError: Bool {
    if case .parameterEncodingFailed = self { true } else { false }
  }
  /// Whether a value could not be encoded.
  public var isParameterEncoderError: Bool {
    if case .parameterEncoderFailed = self { true } else { false }
  }
  /// Whether the response was refused.
  public var isResponseValidationError: Bool {
    if case .responseValidationFailed = self { true } else { false }
  }
  /// Whether the response could not be decoded.
  public var isResponseSerializationError: Bool {
    if case .responseSerializationFailed = self { true } else { false }
  }
  /// Whether the server's certificate was refused.
  public var isServerTrustEvaluationError: Bool {
    if case .serverTrustEvaluationFailed = self { true } else { false }
  }
  /// Whether the transfer failed.
  public var isSessionTaskError: Bool { if case .sessionTaskFailed = self { true } else { false } }

  /// The invalid URL; `nil` for other errors.
  public var url: URL? {
    guard case .invalidURL(let url) = self else { return nil }
    return URL(string: url)
  }

  /// The status code that was refused; `nil` for other errors.
  public var responseCode: Int? {
    guard case .responseValidationFailed(.unacceptableStatusCode(let code)) = self else { return nil }
    return code
  }

  /// The error that caused this one; `nil` if there is none.
  public var underlyingError: (any Error)? {
    switch self {
    case .multipartEncodingFailed(.other(let error)): error
    case .parameterEncodingFailed(.customEncodingFailed(let error)): error
    case .parameterEncoderFailed(.encoderFailed(let error)): error
    case .responseSerializationFailed(.jsonSerializationFailed(let error)),
      .responseSerializationFailed(.decodingFailed(let error)),
      .responseSerializationFailed(.customSerializationFailed(let error)):
      error
    case .serverTrustEvaluationFailed(.customEvaluationFailed(let error)): error
    case .sessionTaskFailed(let error): error
    case .explicitlyCancelled, .invalidURL, .responseValidationFailed, .responseSerializationFailed: nil
    }
  }
}

extension AFError: LocalizedError {
  /// A description of the error in one line, with secrets hidden.
  public var errorDescription: String? { sentence.map { Redactor.standard.redacted(text: $0) } }

  private var sentence: String? {
    switch self {
    case .explicitlyCancelled: "Request explicitly cancelled."
    case .invalidURL(let url): "URL is not valid: \(TransferError.unsupportedURL(url).localizedDescription)"
    case .responseValidationFailed(.unacceptableStatusCode(let code)):
      "Response status code was unacceptable: \(code)."
    case .responseSerializationFailed(.stringSerializationFailed(let encoding)):
      "String could not be serialized with encoding: \(encoding)."
    case .responseSerializationFailed(.inputDataNilOrZeroLength): "The body is empty."
    case .responseSerializationFailed(.inputFileNil): "The download has no file."
    case .responseSerializationFailed(.inputFileReadFailed(let file)): "\(file.path) cannot be read."
    case .responseSerializationFailed(.invalidEmptyResponse(let type)):
      "\(type) cannot stand for an empty body."
    default: underlyingError?.localizedDescription
    }
  }
}
