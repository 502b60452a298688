/// What a value prints as: a case or type and the values in it, some of which may be secret.
package struct SafeText: ExpressibleByStringLiteral {
  private let name: String
  private let values: [(label: String?, value: Value)]

  /// A value, by what may be secret about it.
  package enum Value {
    /// A text, in which URLs and fields may stand.
    case text(String)
    /// A URL, perhaps a malformed one.
    case url(String)
    /// Nothing but a secret.
    case secret
    /// An error with a text of its own.
    case error(any Error)
    /// What has no secrets, or hides its own.
    case plain(Any)
  }

  package init(_ name: String, _ values: (label: String?, value: Value)...) {
    self.name = name
    self.values = values
  }

  package init(stringLiteral name: String) {
    self.name = name
    self.values = []
  }

  /// The text that Swift would print, but for secrets.
  package func text(hiding secrets: Secrets) -> String {
    values.isEmpty ? name : "\(name)(\(list(hiding: secrets)))"
  }

  fileprivate func list(hiding secrets: Secrets) -> String {
    values.map { label, value in (label.map { "\($0): " } ?? "") + value.text(hiding: secrets) }
      .joined(separator: ", ")
  }

  fileprivate var mirrored: Mirror.Child { (name, list(hiding: .standard)) }
}

extension SafeText.Value {
  fileprivate func text(hiding secrets: Secrets) -> String {
    switch self {
    case .text(let text): secrets.shown(text: text).debugDescription
    case .url(let url): secrets.shown(url: url).debugDescription
    case .secret: Secrets.mask
    case .error(let error as any SecretHidingError):
      "\(String(reflecting: type(of: error))).\(error.text.text(hiding: secrets))"
    // Foundation's errors print the URL that failed.
    case .error(let error): secrets.shown(text: String(reflecting: error))
    case .plain(let value): secrets.shown(text: String(reflecting: value))
    }
  }
}

/// A value that prints as any other, without the secrets in it.
///
/// Conforming types also declare `CustomStringConvertible`, `CustomDebugStringConvertible` and `CustomReflectable`, which this
/// implements.
package protocol SecretHiding: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The case or type, and the values in it.
  var text: SafeText { get }
}

/// An error that prints as any other, without the secrets in it.
package protocol SecretHidingError: Error, SecretHiding {}

extension SecretHiding {
  /// The value as Swift would print it, secrets hidden.
  public var description: String { text.text(hiding: .standard) }
  /// The same as `description`.
  public var debugDescription: String { description }
  /// The values as one text, secrets hidden.
  public var customMirror: Mirror { Mirror(self, children: [text.mirrored]) }
}

extension SecretHidingError {
  /// The type, the case and its values, secrets hidden.
  public var debugDescription: String { "\(String(reflecting: Self.self)).\(description)" }
  /// The case and its values as one text, secrets hidden.
  public var customMirror: Mirror { Mirror(self, children: [text.mirrored], displayStyle: .enum) }
}
