/// The value of a target's query parameter: one string, or several under one name.
public enum QueryParameterValue: Sendable, Hashable {
  /// One string.
  case string(String)
  /// Several strings; the name is repeated for each.
  case array([String])

  /// The strings.
  public var values: [String] {
    switch self {
    case .string(let value): [value]
    case .array(let values): values
    }
  }
}

extension QueryParameterValue: ExpressibleByStringInterpolation, ExpressibleByArrayLiteral {
  /// Makes a value with one string.
  public init(stringLiteral value: String) {
    self = .string(value)
  }

  /// Makes a value with several strings.
  public init(arrayLiteral elements: String...) {
    self = .array(elements)
  }
}
