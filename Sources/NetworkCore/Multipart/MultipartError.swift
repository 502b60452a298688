public import Foundation

/// Why a multipart body cannot be sent.
///
/// A file that cannot be read is a `TransferError.cannotReadFile`, and a stream that has more or fewer bytes than
/// announced a `TransferError.wrongBodyLength`.
public enum MultipartError: Error, Sendable, Hashable {
  /// There are no parts.
  case noParts
  /// A part's name, file name or media type, as the first value says, holds what would forge a line of its head.
  case invalidField(String, value: String)
  /// The boundary is empty, longer than 70 characters, or has others than RFC 2046 allows.
  case invalidBoundary(String)
  /// A request with this method has no body of several parts.
  case unsupportedMethod(HTTPMethod)
}

extension MultipartError: LocalizedError {
  /// What happened, in one line.
  public var errorDescription: String? { Secrets.standard.shown(text: sentence) }

  private var sentence: String {
    switch self {
    case .noParts: "The multipart body has no parts."
    case .invalidField(let field, let value):
      "\(value.debugDescription) cannot be the \(field) of a part of a multipart body."
    case .invalidBoundary(let boundary):
      "\(boundary.debugDescription) cannot be the boundary of a multipart body."
    case .unsupportedMethod(let method):
      "A \(method.rawValue) request cannot have a multipart body; use POST, PUT or PATCH."
    }
  }
}

extension MultipartError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable,
  SecretHidingError
{
  package var text: SafeText {
    switch self {
    case .noParts: "noParts"
    case .invalidField(let field, let value):
      SafeText("invalidField", (nil, .text(field)), ("value", .text(value)))
    case .invalidBoundary(let text):
      SafeText("invalidBoundary", (nil, .text(text)))
    case .unsupportedMethod(let value):
      SafeText("unsupportedMethod", (nil, .plain(value)))
    }
  }
}
