/// The scheme in front of a token in `Authorization`.
///
/// Two of them are equal where they send the same word: `.custom("Bearer") == .bearer`.
public enum AuthorizationType: Sendable {
  /// `Basic` (RFC 7617); the token is the user's name and password, already in Base64.
  case basic
  /// `Bearer` (RFC 6750).
  case bearer
  /// A scheme of one's own.
  case custom(String)

  /// The word that is sent in front of the token.
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

/// A target that says whether its request carries a token, and in what scheme.
///
/// ```swift
/// extension GitHub: AccessTokenAuthorizable {
///   var authorizationType: AuthorizationType? { .bearer }
/// }
/// ```
@preconcurrency public protocol AccessTokenAuthorizable: Sendable {
  /// The scheme of the token; `nil` for a request that carries none.
  var authorizationType: AuthorizationType? { get }
}
