#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Writes parameters as `key=value&key=value`, into the URL's query or a form body.
///
/// Keys are sorted, so that the same parameters always give the same text. Everything but RFC 3986's unreserved
/// characters, `?` and `/` is percent-encoded. An optional among the values is written as what it holds, and left
/// out where it holds nothing.
///
/// ```swift
/// .requestParameters(parameters: ["q": "swift", "page": 2], encoding: URLEncoding.queryString)  // ?page=2&q=swift
/// ```
public struct URLEncoding: ParameterEncoding {
  /// Where the text goes.
  public enum Destination: Sendable {
    /// Into the query for GET, HEAD and DELETE, into the body otherwise.
    case methodDependent
    /// Into the query, appended to one that is there.
    case queryString
    /// Into the body, with `Content-Type: application/x-www-form-urlencoded; charset=utf-8` unless one is set.
    case httpBody

    func writesQuery(for method: String?) -> Bool {
      switch self {
      case .methodDependent: ["GET", "HEAD", "DELETE"].contains(method)
      case .queryString: true
      case .httpBody: false
      }
    }
  }

  /// How the key of an array's element is written.
  public enum ArrayEncoding: Sendable {
    /// `key[]`
    case brackets
    /// `key`
    case noBrackets
    /// `key[0]`
    case indexInBrackets
    /// What the closure makes of the key and the element's index.
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

  /// How `true` and `false` are written.
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

  /// Into the query or the body as the method demands; arrays `key[]`, booleans `1` and `0`.
  public static var `default`: URLEncoding { URLEncoding() }
  /// Into the query whatever the method.
  public static var queryString: URLEncoding { URLEncoding(destination: .queryString) }
  /// Into the body whatever the method.
  public static var httpBody: URLEncoding { URLEncoding(destination: .httpBody) }

  /// Where the text goes.
  public let destination: Destination
  /// How the keys of array elements are written.
  public let arrayEncoding: ArrayEncoding
  /// How booleans are written.
  public let boolEncoding: BoolEncoding

  /// Makes an encoding.
  public init(
    destination: Destination = .methodDependent, arrayEncoding: ArrayEncoding = .brackets,
    boolEncoding: BoolEncoding = .numeric
  ) {
    self.destination = destination
    self.arrayEncoding = arrayEncoding
    self.boolEncoding = boolEncoding
  }

  /// Puts the parameters into a copy of the request.
  ///
  /// - Parameters:
  ///   - urlRequest: the request to start from.
  ///   - parameters: what to put into it; `nil` leaves it as it is, and so does an empty dictionary for the query.
  /// - Returns: the request with the parameters.
  /// - Throws: `ParameterEncodingError.missingURL` where a query is to be written and there is no URL,
  ///   `.invalidURL` where the URL is not one with the query, `.nestedTooDeep`.
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
