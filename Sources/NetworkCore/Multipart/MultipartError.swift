public import Foundation

/// The reason why a multipart body cannot be sent.
///
/// A file that cannot be read is a `TransferError.cannotReadFile` instead. A stream that has more or fewer
/// bytes than announced is a `TransferError.wrongBodyLength`.
public enum MultipartError: Error, Sendable, Hashable {
  /// The form has no parts.
  case noParts
  /// A field of a part contains characters that could forge a line of its head.
  ///
  /// The first value is `name`, `fileName`, `mimeType` or the name of a header field.
  case invalidField(String, value: String)
  /// The boundary is empty, longer than 70 characters, or has characters that RFC 2046 does not allow.
  case invalidBoundary(String)
  /// A request with this method cannot have a multipart body.
  case unsupportedMethod(HTTPMethod)
}

extension MultipartError: LocalizedError {
  /// A description of the error in one line.
  public var errorDescription: String? { Redactor.standard.redacted(text: sentence) }

  private var sentence: String {
    switch self {
    case .noParts: "The multipart body has no parts."
    case .invalidField(let field, let value):
      "\(value.debugDescription) is not a valid \(field) for a part of a multipart body."
    case .invalidBoundary(let boundary):
      "\(boundary.debugDescription) is not a valid boundary for a multipart body."
    case .unsupportedMethod(let method):
      "A \(method.rawValue) request cannot have a multipart body; use POST, PUT or PATCH."
    }
  }
}

extension MultipartError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable,
  SecretHidingError
{
  package var text: RedactableDescription {
    switch self {
    case .noParts: "noParts"
    case .invalidField(let field, let value):
      RedactableDescription("invalidField", (nil, .text(field)), ("value", .text(value)))
    case .invalidBoundary(let text):
      RedactableDescription("invalidBoundary", (nil, .text(text)))
    case .unsupportedMethod(let value):
      RedactableDescription("unsupportedMethod", (nil, .plain(value)))
    }
  }
}
