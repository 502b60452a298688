/// A media type without its parameters (RFC 9110, section 8.3.1), or a range of them such as `text/*`.
public struct MediaType: Sendable, Hashable, CustomStringConvertible {
  /// The part before the slash, in lower case; `*` for any.
  public let type: String
  /// The part after the slash, in lower case; `*` for any.
  public let subtype: String

  /// Parses a media type; spaces, and parameters after the type, are ignored.
  ///
  /// Returns `nil` unless the text has exactly one slash, with a word on each side.
  ///
  /// - Parameter text: such as `text/html; charset=utf-8`.
  public init?(_ text: String) {
    // By scalars, because a slash with a combining mark is one character.
    let parts = text.unicodeScalars.prefix { $0 != ";" }.split(
      separator: "/", omittingEmptySubsequences: false
    )
    .map { part in String(String.UnicodeScalarView(part.filter { !$0.properties.isWhitespace })).lowercased()
    }
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
    type = parts[0]
    subtype = parts[1]
  }

  /// The media type in the form of a field value.
  public var description: String { "\(type)/\(subtype)" }

  /// Returns whether a type lies in this range; a range without wildcards contains only itself.
  ///
  /// - Parameter other: the type to check.
  /// - Returns: `true` if the type lies in the range.
  public func includes(_ other: MediaType) -> Bool {
    (type == "*" || type == other.type) && (subtype == "*" || subtype == other.subtype)
  }
}
