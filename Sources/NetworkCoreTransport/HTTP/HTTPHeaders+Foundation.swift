#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

extension HTTPHeaders {
  /// The fields that Alamofire sends with each request: `Accept-Encoding`, `Accept-Language`, `User-Agent`.
  ///
  /// `CurlTransport` sends the last two with requests that do not set them, and its own `Accept-Encoding`.
  public static var `default`: HTTPHeaders {
    [.defaultAcceptEncoding, .defaultAcceptLanguage, .defaultUserAgent]
  }
}

extension URLRequest {
  /// The header fields, sorted by name.
  public var headers: HTTPHeaders {
    get { allHTTPHeaderFields.map { HTTPHeaders($0) } ?? [:] }
    set { allHTTPHeaderFields = newValue.dictionary }
  }

  /// The request method.
  public var method: HTTPMethod? {
    get { httpMethod.map(HTTPMethod.init(rawValue:)) }
    set { httpMethod = newValue?.rawValue }
  }
}

extension HTTPURLResponse {
  /// The header fields, sorted by name.
  public var headers: HTTPHeaders {
    HTTPHeaders(
      allHeaderFields.reduce(into: [:]) { fields, field in
        if let name = field.key as? String { fields[name] = "\(field.value)" }
      })
  }
}
