public import Foundation

/// Why a body's media type is not welcome.
public enum ContentTypeError: Error, Sendable, Hashable {
  /// The answer has a body and does not say what it is.
  case missing(acceptable: [String])
  /// The body is of another type.
  case unacceptable(String, acceptable: [String])
}

extension ContentTypeError: LocalizedError {
  /// What happened, in one line.
  public var errorDescription: String? { Secrets.standard.shown(text: sentence) }

  private var sentence: String {
    switch self {
    case .missing(let acceptable):
      "The answer has no Content-Type; \(acceptable.joined(separator: ", ")) was asked for."
    case .unacceptable(let type, let acceptable):
      "The answer is \(type.debugDescription); \(acceptable.joined(separator: ", ")) was asked for."
    }
  }
}

extension Response {
  /// The response itself where its body is of one of these types, or empty.
  ///
  /// - Parameter contentTypes: media types, or ranges such as `text/*`; parameters do not matter. With `*/*` a missing
  ///   `Content-Type` is fine.
  /// - Returns: the response.
  /// - Throws: `NetworkError.underlying` with a `ContentTypeError` and the response.
  public func filter(contentTypes: some Sequence<String>) throws -> Response {
    let acceptable = contentTypes.sorted()
    if let error = contentTypeError(acceptable) { throw NetworkError.underlying(error, self) }
    return self
  }

  /// Why the body's type is not one of these; they are in order.
  func contentTypeError(_ acceptable: [String]) -> ContentTypeError? {
    data.isEmpty ? nil : headContentTypeError(acceptable)
  }

  /// Why the type of the body to come is not one of these; they are in order.
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
  package var text: SafeText {
    switch self {
    case .missing(let acceptable):
      SafeText("missing", ("acceptable", .plain(acceptable)))
    case .unacceptable(let text, let acceptable):
      SafeText("unacceptable", (nil, .text(text)), ("acceptable", .plain(acceptable)))
    }
  }
}
