/// What a target's query parameter is worth: a text, or several under one name.
public enum QueryParameterValue: Sendable, Hashable {
  /// One text.
  case string(String)
  /// Several texts; the name is repeated for each.
  case array([String])

  /// The texts.
  public var values: [String] {
    switch self {
    case .string(let value): [value]
    case .array(let values): values
    }
  }
}

extension QueryParameterValue: ExpressibleByStringInterpolation, ExpressibleByArrayLiteral {
  /// Makes a text.
  public init(stringLiteral value: String) {
    self = .string(value)
  }

  /// Makes several texts.
  public init(arrayLiteral elements: String...) {
    self = .array(elements)
  }
}
