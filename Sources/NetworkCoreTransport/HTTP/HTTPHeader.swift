/// One header field: a name, which is case-insensitive, and a value (RFC 9110, section 5).
public struct HTTPHeader: Sendable, Hashable, CustomStringConvertible {
  /// The field's name in its original spelling.
  public let name: String
  /// The field's value.
  public let value: String

  /// Creates a field; names and values are checked when a request is sent.
  public init(name: String, value: String) {
    self.name = name
    self.value = value
  }

  /// `name: value`, with the value hidden in fields that hold secrets, such as `Authorization`.
  public var description: String { "\(name): \(Redactor.standard.redacted(self))" }
}

extension HTTPHeader: CustomDebugStringConvertible, CustomReflectable {
  /// The same as `description`.
  public var debugDescription: String { description }
  /// The name, and the value unless it is a secret.
  public var customMirror: Mirror {
    Mirror(self, children: ["name": name, "value": Redactor.standard.redacted(self)], displayStyle: .struct)
  }
}
