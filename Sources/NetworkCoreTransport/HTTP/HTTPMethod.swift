/// A request method (RFC 9110, section 9), as an open set: any token but `CONNECT` can be sent.
///
/// Methods are compared exactly, because their names are case-sensitive.
///
/// ```swift
/// let purge = HTTPMethod(rawValue: "PURGE")
/// ```
public struct HTTPMethod: RawRepresentable, Hashable, Sendable {
  /// The method's name as it is sent.
  public let rawValue: String

  /// Creates a method with any name.
  ///
  /// - Parameter rawValue: a token of RFC 9110; a request with any other text is refused before it is sent.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// `CONNECT` (RFC 9110); a request with it is refused before it is sent, because it would open a tunnel.
  public static let connect = HTTPMethod(rawValue: "CONNECT")
  /// `DELETE` (RFC 9110).
  public static let delete = HTTPMethod(rawValue: "DELETE")
  /// `GET` (RFC 9110).
  public static let get = HTTPMethod(rawValue: "GET")
  /// `HEAD` (RFC 9110).
  public static let head = HTTPMethod(rawValue: "HEAD")
  /// `OPTIONS` (RFC 9110).
  public static let options = HTTPMethod(rawValue: "OPTIONS")
  /// `PATCH` (RFC 5789).
  public static let patch = HTTPMethod(rawValue: "PATCH")
  /// `POST` (RFC 9110).
  public static let post = HTTPMethod(rawValue: "POST")
  /// `PUT` (RFC 9110).
  public static let put = HTTPMethod(rawValue: "PUT")
  /// `QUERY` (draft-ietf-httpbis-safe-method-w-body).
  public static let query = HTTPMethod(rawValue: "QUERY")
  /// `TRACE` (RFC 9110).
  public static let trace = HTTPMethod(rawValue: "TRACE")
}
