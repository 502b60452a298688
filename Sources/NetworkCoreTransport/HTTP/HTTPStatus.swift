/// A status code with its meaning, as an open set of numbers (RFC 9110, section 15, and IANA's registry).
///
/// ```swift
/// HTTPStatus.notFound.code  // 404
/// HTTPStatus(429).reasonPhrase  // "Too Many Requests"
/// response.status == .created
/// ```
public struct HTTPStatus: RawRepresentable, Hashable, Sendable {
  /// The number that is sent.
  public let rawValue: Int

  /// Creates a status with any number.
  ///
  /// - Parameter rawValue: the number; RFC 9110 defines 100 to 599.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// Creates a status with any number.
  ///
  /// - Parameter code: the number; RFC 9110 defines 100 to 599.
  public init(_ code: Int) {
    self.init(rawValue: code)
  }

  /// The number that is sent.
  public var code: Int { rawValue }

  /// The registered reason phrase, such as `Not Found`; empty if the code is not registered.
  public var reasonPhrase: String { Self.phrases[rawValue] ?? "" }

  /// The class of the status code; `nil` if the number is not a status code.
  public var category: Category? { Category(rawValue: rawValue / 100) }

  /// The class of a status code, which its first digit defines.
  public enum Category: Int, Sendable {
    /// 1xx: the final response follows.
    case informational = 1
    /// 2xx: the request was understood and accepted.
    case success
    /// 3xx: further action is needed, usually another request.
    case redirection
    /// 4xx: the request cannot be fulfilled as it was sent.
    case clientError
    /// 5xx: the server failed to fulfil a valid request.
    case serverError
  }
}

extension HTTPStatus: CustomStringConvertible, ExpressibleByIntegerLiteral {
  /// The code and the reason phrase: `404 Not Found`.
  public var description: String { reasonPhrase.isEmpty ? "\(code)" : "\(code) \(reasonPhrase)" }

  /// Creates a status from a literal number.
  public init(integerLiteral code: Int) {
    self.init(code)
  }
}
