/// One header field: a name, compared without regard to case, and a value (RFC 9110, section 5).
public struct HTTPHeader: Sendable, Hashable, CustomStringConvertible {
  /// The field's name in the spelling it was given.
  public let name: String
  /// The field's value.
  public let value: String

  /// Makes a field; names and values are checked when a request is sent, not here.
  public init(name: String, value: String) {
    self.name = name
    self.value = value
  }

  /// `name: value`.
  public var description: String { "\(name): \(value)" }
}
