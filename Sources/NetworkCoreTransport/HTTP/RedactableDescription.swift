/// The printed form of a value: its case or type and the values in it, some of which may be secret.
package struct RedactableDescription: ExpressibleByStringLiteral {
  private let name: String
  private let values: [(label: String?, value: Value)]

  /// A value, classified by the secrets that it may contain.
  package enum Value {
    /// A text that may contain URLs and fields.
    case text(String)
    /// A URL, which may be malformed.
    case url(String)
    /// A value that is secret as a whole.
    case secret
    /// An error, which has its own text.
    case error(any Error)
    /// A value without secrets, or a value that hides its own secrets.
    case plain(Any)
  }

  /// The name of the case or type.
  package var caseName: String { name }

  /// Creates the description of a case; values that are `nil` are left out.
  package init(_ name: String, _ values: (label: String?, value: Value?)...) {
    self.name = name
    self.values = values.compactMap { label, value in value.map { (label, $0) } }
  }

  package init(stringLiteral name: String) {
    self.name = name
    self.values = []
  }

  /// Returns the text that Swift would print, without secrets.
  package func text(using redactor: Redactor) -> String {
    values.isEmpty ? name : "\(name)(\(list(using: redactor)))"
  }

  fileprivate func list(using redactor: Redactor) -> String {
    values.map { label, value in (label.map { "\($0): " } ?? "") + value.text(using: redactor) }
      .joined(separator: ", ")
  }

  fileprivate var mirrored: Mirror.Child { (name, list(using: .standard)) }
}

extension RedactableDescription.Value {
  fileprivate func text(using redactor: Redactor) -> String {
    switch self {
    case .text(let text): redactor.redacted(text: text).debugDescription
    case .url(let url): redactor.redacted(url: url).debugDescription
    case .secret: Redactor.mask
    case .error(let error as any SecretHidingError):
      "\(String(reflecting: type(of: error))).\(error.text.text(using: redactor))"
    // Foundation's errors print the URL that failed.
    case .error(let error): redactor.redacted(text: String(reflecting: error))
    case .plain(let value): redactor.redacted(text: String(reflecting: value))
    }
  }
}

/// A value that prints as usual, but without its secrets.
///
/// Conforming types also declare `CustomStringConvertible`, `CustomDebugStringConvertible` and
/// `CustomReflectable`, which this protocol implements.
package protocol SecretHiding: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The case or type, and the values in it.
  var text: RedactableDescription { get }
}

/// An error that prints as usual, but without its secrets.
package protocol SecretHidingError: Error, SecretHiding {}

extension SecretHiding {
  /// The value as Swift would print it, with secrets hidden.
  public var description: String { text.text(using: .standard) }
  /// The same as `description`.
  public var debugDescription: String { description }
  /// The values as one text, with secrets hidden.
  public var customMirror: Mirror { Mirror(self, children: [text.mirrored]) }
}

extension SecretHidingError {
  /// The type, the case and its values, with secrets hidden.
  public var debugDescription: String { "\(String(reflecting: Self.self)).\(description)" }
  /// The case and its values as one text, with secrets hidden.
  public var customMirror: Mirror { Mirror(self, children: [text.mirrored], displayStyle: .enum) }
}
