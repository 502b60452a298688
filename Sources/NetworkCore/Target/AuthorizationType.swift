/// The scheme before a token in `Authorization`.
///
/// Two values are equal if they send the same word: `.custom("Bearer") == .bearer`.
public enum AuthorizationType: Sendable {
  /// `Basic` (RFC 7617); the token is the user's name and password, already in Base64.
  case basic
  /// `Bearer` (RFC 6750).
  case bearer
  /// A custom scheme.
  case custom(String)

  /// The word that is sent before the token.
  public var value: String {
    switch self {
    case .basic: "Basic"
    case .bearer: "Bearer"
    case .custom(let value): value
    }
  }
}

extension AuthorizationType: Hashable {
  /// Whether both send the same word.
  public static func == (left: AuthorizationType, right: AuthorizationType) -> Bool {
    left.value == right.value
  }

  /// Hashes the word that is sent.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(value)
  }
}

/// A target that specifies whether its request carries a token, and with which scheme.
///
/// ```swift
/// extension GitHub: AccessTokenAuthorizable {
///   var authorizationType: AuthorizationType? { .bearer }
/// }
/// ```
@preconcurrency public protocol AccessTokenAuthorizable: Sendable {
  /// The scheme of the token; `nil` if the request carries none.
  var authorizationType: AuthorizationType? { get }
}
