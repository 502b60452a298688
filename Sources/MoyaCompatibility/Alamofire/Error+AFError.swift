internal import Foundation
internal import ReactiveNetwork

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

extension Error {
  /// The error as an `AFError`; `nil` if Alamofire has no counterpart.
  ///
  /// Converts `NetworkError`, `TransferError` and `MultipartError`, also inside `NetworkError.underlying`, and
  /// `MultipartError` inside `NetworkError.parameterEncoding`.
  public var asAFError: AFError? {
    switch self {
    case let error as AFError: error
    case let error as NetworkError: AFError(error)
    case let error as TransferError: AFError(error)
    case let error as MultipartError: .multipartEncodingFailed(reason: .other(error))
    default: nil
    }
  }

  /// Returns the error as an `AFError`, or a default if Alamofire has no counterpart.
  ///
  /// - Parameter defaultAFError: the default.
  /// - Returns: the converted error, or the default.
  public func asAFError(or defaultAFError: @autoclosure () -> AFError) -> AFError {
    asAFError ?? defaultAFError()
  }
}

extension AFError {
  fileprivate init?(_ error: NetworkError) {
    switch error {
    case .statusCode(let response):
      self = .responseValidationFailed(reason: .unacceptableStatusCode(code: response.statusCode))
    case .imageMapping: self = .responseSerializationFailed(reason: .customSerializationFailed(error: error))
    case .jsonMapping: self = .responseSerializationFailed(reason: .jsonSerializationFailed(error: error))
    case .stringMapping:
      self = .responseSerializationFailed(reason: .stringSerializationFailed(encoding: .utf8))
    case .objectMapping(let cause, _):
      self = .responseSerializationFailed(reason: .decodingFailed(error: cause))
    case .encodableMapping(let cause): self = .parameterEncoderFailed(reason: .encoderFailed(error: cause))
    case .parameterEncoding(let cause as MultipartError):
      self = .multipartEncodingFailed(reason: .other(cause))
    case .parameterEncoding(let cause):
      self = .parameterEncodingFailed(reason: .customEncodingFailed(error: cause))
    case .requestMapping(let url): self = .invalidURL(url: url)
    case .underlying(let cause, _): self = cause.asAFError ?? .sessionTaskFailed(error: cause)
    }
  }

  fileprivate init(_ error: TransferError) {
    switch error {
    case .cancelled: self = .explicitlyCancelled
    case .unsupportedURL(let url): self = .invalidURL(url: url)
    case .certificate: self = .serverTrustEvaluationFailed(reason: .customEvaluationFailed(error: error))
    default: self = .sessionTaskFailed(error: URLError(error) ?? error)
    }
  }
}

extension URLError {
  /// Foundation's error for a failed transfer, which ported code casts the underlying error to; `nil` if it has none.
  fileprivate init?(_ error: TransferError) {
    guard let code = error.urlErrorCode else { return nil }
    self.init(
      code, userInfo: [NSUnderlyingErrorKey: error, NSLocalizedDescriptionKey: error.localizedDescription])
  }
}
