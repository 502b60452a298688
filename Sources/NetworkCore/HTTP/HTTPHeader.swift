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

  /// `name: value`, the value hidden in fields such as `Authorization` that hold secrets.
  public var description: String { "\(name): \(Secrets.standard.shown(self))" }
}

extension HTTPHeader: CustomDebugStringConvertible, CustomReflectable {
  /// The same as `description`.
  public var debugDescription: String { description }
  /// The name, and the value unless it is secret.
  public var customMirror: Mirror {
    Mirror(self, children: ["name": name, "value": Secrets.standard.shown(self)], displayStyle: .struct)
  }
}
