public import Foundation

/// The reason why the media type of a body is not accepted.
public enum ContentTypeError: Error, Sendable, Hashable {
  /// The response has a body but no `Content-Type`.
  case missing(acceptable: [String])
  /// The body has another type.
  case unacceptable(String, acceptable: [String])
}

extension ContentTypeError: LocalizedError {
  /// A description of the error in one line.
  public var errorDescription: String? { Redactor.standard.redacted(text: sentence) }

  private var sentence: String {
    switch self {
    case .missing(let acceptable):
      "The response has no Content-Type; expected \(acceptable.joined(separator: ", "))."
    case .unacceptable(let type, let acceptable):
      "The Content-Type of the response is \(type.debugDescription); expected \(acceptable.joined(separator: ", "))."
    }
  }
}

extension Response {
  /// Returns the response if its body is empty or has one of the given media types.
  ///
  /// - Parameter contentTypes: media types, or ranges such as `text/*`; parameters are ignored. `*/*` also
  ///   accepts a missing `Content-Type`.
  /// - Returns: the response.
  /// - Throws: `NetworkError.underlying` with a `ContentTypeError` and the response.
  public func filter(contentTypes: some Sequence<String>) throws -> Response {
    let acceptable = contentTypes.sorted()
    if let error = contentTypeError(acceptable) { throw NetworkError.underlying(error, self) }
    return self
  }

  /// Returns the reason to reject the type of the body; `nil` if the body is empty or its type is acceptable.
  ///
  /// The acceptable types are sorted.
  func contentTypeError(_ acceptable: [String]) -> ContentTypeError? {
    data.isEmpty ? nil : headContentTypeError(acceptable)
  }

  /// Returns the reason to reject the type of a body that has not arrived yet; `nil` if it is acceptable.
  ///
  /// The acceptable types are sorted.
  func headContentTypeError(_ acceptable: [String]) -> ContentTypeError? {
    let ranges = acceptable.compactMap(MediaType.init)
    if ranges.contains(where: { $0.type == "*" && $0.subtype == "*" }) { return nil }
    guard let text = headers["Content-Type"] else { return .missing(acceptable: acceptable) }
    guard let type = MediaType(text), ranges.contains(where: { $0.includes(type) }) else {
      return .unacceptable(text, acceptable: acceptable)
    }
    return nil
  }
}

extension ContentTypeError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable,
  SecretHidingError
{
  package var text: RedactableDescription {
    switch self {
    case .missing(let acceptable):
      RedactableDescription("missing", ("acceptable", .plain(acceptable)))
    case .unacceptable(let text, let acceptable):
      RedactableDescription("unacceptable", (nil, .text(text)), ("acceptable", .plain(acceptable)))
    }
  }
}
