#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Encodes parameters as `key=value&key=value`, in the query of the URL or in a form body.
///
/// Keys are sorted, so that the same parameters always have the same text. All characters except RFC 3986's
/// unreserved characters, `?` and `/` are percent-encoded. An optional value is written as the value that it
/// contains, or omitted if it is `nil`.
///
/// ```swift
/// .requestParameters(parameters: ["q": "swift", "page": 2], encoding: URLEncoding.queryString)  // ?page=2&q=swift
/// ```
public struct URLEncoding: ParameterEncoding {
  /// The destination of the text.
  public enum Destination: Sendable {
    /// The query for GET, HEAD and DELETE; otherwise the body.
    case methodDependent
    /// The query, after an existing query.
    case queryString
    /// The body, with `Content-Type: application/x-www-form-urlencoded; charset=utf-8` unless one is set.
    case httpBody

    func writesQuery(for method: String?) -> Bool {
      switch self {
      case .methodDependent: ["GET", "HEAD", "DELETE"].contains(method)
      case .queryString: true
      case .httpBody: false
      }
    }
  }

  /// The format of the key of an array element.
  public enum ArrayEncoding: Sendable {
    /// `key[]`
    case brackets
    /// `key`
    case noBrackets
    /// `key[0]`
    case indexInBrackets
    /// The text that the closure returns for the key and the element's index.
    case custom(@Sendable (_ key: String, _ index: Int) -> String)

    func encode(key: String, atIndex index: Int) -> String {
      switch self {
      case .brackets: "\(key)[]"
      case .noBrackets: key
      case .indexInBrackets: "\(key)[\(index)]"
      case .custom(let encode): encode(key, index)
      }
    }
  }

  /// The format of `true` and `false`.
  public enum BoolEncoding: Sendable {
    /// `1` and `0`
    case numeric
    /// `true` and `false`
    case literal

    func encode(_ value: Bool) -> String {
      switch self {
      case .numeric: value ? "1" : "0"
      case .literal: value ? "true" : "false"
      }
    }
  }

  /// Writes to the query or the body, depending on the method; arrays as `key[]`, booleans as `1` and `0`.
  public static var `default`: URLEncoding { URLEncoding() }
  /// Writes to the query, whatever the method.
  public static var queryString: URLEncoding { URLEncoding(destination: .queryString) }
  /// Writes to the body, whatever the method.
  public static var httpBody: URLEncoding { URLEncoding(destination: .httpBody) }

  /// The destination of the text.
  public let destination: Destination
  /// The format of the keys of array elements.
  public let arrayEncoding: ArrayEncoding
  /// The format of booleans.
  public let boolEncoding: BoolEncoding

  /// Creates an encoding.
  public init(
    destination: Destination = .methodDependent, arrayEncoding: ArrayEncoding = .brackets,
    boolEncoding: BoolEncoding = .numeric
  ) {
    self.destination = destination
    self.arrayEncoding = arrayEncoding
    self.boolEncoding = boolEncoding
  }

  /// Returns a copy of the request with the parameters.
  ///
  /// - Parameters:
  ///   - urlRequest: the request to copy.
  ///   - parameters: the parameters. `nil` returns the request unchanged; an empty dictionary leaves the
  ///     query unchanged.
  /// - Returns: the request with the parameters.
  /// - Throws: `ParameterEncodingError.missingURL` if the text goes to the query and there is no URL;
  ///   `.invalidURL` if the URL with the query is invalid; `.nestedTooDeep`.
  public func encode(
    _ urlRequest: any URLRequestConvertible, with parameters: Parameters?
  ) throws -> URLRequest {
    var request = try urlRequest.asURLRequest()
    guard let parameters else { return request }
    try ParameterTree.checkDepth(parameters)
    try request.write(form: query(parameters), to: destination)
    return request
  }

  private func query(_ parameters: Parameters) -> String {
    parameters.sorted { $0.key < $1.key }
      .flatMap { queryComponents(fromKey: $0.key, value: $0.value) }
      .map { "\($0)=\($1)" }
      .joined(separator: "&")
  }
}
