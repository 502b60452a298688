public import Foundation

/// The error of a call to an API with a typed error body.
///
/// `ClientError` is the type of the server's response bodies with a 4xx status.
public enum APIError<ClientError: Decodable & Sendable>: Error, Sendable {
  /// No usable response arrived, for example after a cancel or a time-out, or without a connection.
  case noResponseReceived(error: NetworkError)
  /// A successful response lacks the required body.
  case noDataInResponse(statusCode: Int)
  /// The body of a successful response could not be decoded as `type`; `error` is the error of the decoder.
  case responseDataConversionFailed(type: String, error: any Error)
  /// The response has a 4xx status; `clientError` is its decoded body, or `nil` if decoding failed.
  case clientError(statusCode: Int, clientError: ClientError?)
  /// The response has a 5xx status.
  case serverError(statusCode: Int)
  /// The status is neither a success nor an error: 1xx, 3xx, or outside 100 to 599.
  case unexpectedStatusCode(statusCode: Int)
}

extension APIError {
  /// The status code of the response; `nil` if there was none or its body could not be decoded.
  public var statusCode: Int? {
    switch self {
    case .noResponseReceived(let error): error.response?.statusCode
    case .responseDataConversionFailed: nil
    case .noDataInResponse(let code), .clientError(let code, _), .serverError(let code),
      .unexpectedStatusCode(let code):
      code
    }
  }

  /// Whether the request was cancelled.
  public var isCancelled: Bool {
    if case .noResponseReceived(let error) = self { error.isCancelled } else { false }
  }
}

extension APIError: LocalizedError {
  /// A description of the error in one line.
  public var errorDescription: String? { Redactor.standard.redacted(text: sentence) }

  private var sentence: String {
    switch self {
    case .noResponseReceived(let error): error.localizedDescription
    case .noDataInResponse(let code): "The response with status \(HTTPStatus(code)) has no body."
    case .responseDataConversionFailed(let type, let error): "The body is not a \(type): \(error)"
    case .clientError(let code, let error):
      "The server refused the request with status \(HTTPStatus(code))" + (error.map { ": \($0)" } ?? ".")
    case .serverError(let code): "The server failed with status \(HTTPStatus(code))."
    case .unexpectedStatusCode(let code): "The status \(HTTPStatus(code)) was not expected."
    }
  }
}

extension APIError: Equatable where ClientError: Equatable {
  /// Whether both are the same case with equal values; contained errors are compared by their descriptions.
  public static func == (left: APIError, right: APIError) -> Bool {
    switch (left, right) {
    case (.noResponseReceived(let left), .noResponseReceived(let right)):
      left.text.text(using: .none) == right.text.text(using: .none)
    case (.noDataInResponse(let left), .noDataInResponse(let right)): left == right
    case (
      .responseDataConversionFailed(let leftType, let leftError),
      .responseDataConversionFailed(let rightType, let rightError)
    ):
      leftType == rightType && "\(leftError)" == "\(rightError)"
    case (.clientError(let leftCode, let left), .clientError(let rightCode, let right)):
      leftCode == rightCode && left == right
    case (.serverError(let left), .serverError(let right)): left == right
    case (.unexpectedStatusCode(let left), .unexpectedStatusCode(let right)): left == right
    default: false
    }
  }
}

extension APIError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable,
  SecretHidingError
{
  package var text: RedactableDescription {
    switch self {
    case .noResponseReceived(let error):
      RedactableDescription("noResponseReceived", ("error", .error(error)))
    case .noDataInResponse(let statusCode):
      RedactableDescription("noDataInResponse", ("statusCode", .plain(statusCode)))
    case .responseDataConversionFailed(let type, let error):
      RedactableDescription("responseDataConversionFailed", ("type", .text(type)), ("error", .error(error)))
    case .clientError(let statusCode, let clientError):
      RedactableDescription(
        "clientError", ("statusCode", .plain(statusCode)), ("clientError", .plain(clientError as Any)))
    case .serverError(let statusCode):
      RedactableDescription("serverError", ("statusCode", .plain(statusCode)))
    case .unexpectedStatusCode(let statusCode):
      RedactableDescription("unexpectedStatusCode", ("statusCode", .plain(statusCode)))
    }
  }
}
