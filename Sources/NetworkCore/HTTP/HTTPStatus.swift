/// A status code with its meaning (RFC 9110, section 15, and IANA's registry): an open set of numbers.
///
/// ```swift
/// HTTPStatus.notFound.code  // 404
/// HTTPStatus(429).reasonPhrase  // "Too Many Requests"
/// response.status == .created
/// ```
public struct HTTPStatus: RawRepresentable, Hashable, Sendable {
  /// The number that is sent.
  public let rawValue: Int

  /// Makes a status of any number.
  ///
  /// - Parameter rawValue: the number; RFC 9110 knows 100 to 599.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// Makes a status of any number.
  ///
  /// - Parameter code: the number; RFC 9110 knows 100 to 599.
  public init(_ code: Int) {
    self.init(rawValue: code)
  }

  /// The number that is sent.
  public var code: Int { rawValue }

  /// The registered words for the code, such as `Not Found`; empty for one that is not registered.
  public var reasonPhrase: String { Self.phrases[rawValue] ?? "" }

  /// What the first digit says; `nil` for a number that is no status code.
  public var category: Category? { Category(rawValue: rawValue / 100) }

  /// What the first digit of a status code says.
  public enum Category: Int, Sendable {
    /// 1xx: the answer is still to come.
    case informational = 1
    /// 2xx: the request was understood and accepted.
    case success
    /// 3xx: more has to be done, mostly another request.
    case redirection
    /// 4xx: the request cannot be fulfilled as it is.
    case clientError
    /// 5xx: the server failed at a valid request.
    case serverError
  }
}

extension HTTPStatus: CustomStringConvertible, ExpressibleByIntegerLiteral {
  /// The code and the words: `404 Not Found`.
  public var description: String { reasonPhrase.isEmpty ? "\(code)" : "\(code) \(reasonPhrase)" }

  /// Makes a status of a literal number.
  public init(integerLiteral code: Int) {
    self.init(code)
  }
}

extension Response {
  /// The status code with its meaning.
  public var status: HTTPStatus { HTTPStatus(statusCode) }
}
