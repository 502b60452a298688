/// A media type without its parameters (RFC 9110, section 8.3.1), or a range of them such as `text/*`.
public struct MediaType: Sendable, Hashable, CustomStringConvertible {
  /// What stands before the slash, in lower case; `*` for any.
  public let type: String
  /// What stands after the slash, in lower case; `*` for any.
  public let subtype: String

  /// Reads a media type; blanks around it and parameters behind it are dropped.
  ///
  /// There is none in a text without a slash between two words.
  ///
  /// - Parameter text: such as `text/html; charset=utf-8`.
  public init?(_ text: String) {
    let parts = text.prefix { $0 != ";" }.split(separator: "/", omittingEmptySubsequences: false)
      .map { $0.filter { !$0.isWhitespace }.lowercased() }
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
    type = parts[0]
    subtype = parts[1]
  }

  /// The type as it is written in a field.
  public var description: String { "\(type)/\(subtype)" }

  /// Whether a type lies in this range; one without wildcards holds itself alone.
  ///
  /// - Parameter other: the type to look for.
  /// - Returns: whether it lies in the range.
  public func includes(_ other: MediaType) -> Bool {
    (type == "*" || type == other.type) && (subtype == "*" || subtype == other.subtype)
  }
}
