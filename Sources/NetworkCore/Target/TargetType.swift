public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// A request to a server, with all of its settings; usually a case of an enum.
///
/// ```swift
/// enum GitHub: TargetType {
///   case zen
///   case repos(String)
///
///   var baseURL: URL { URL(string: "https://api.github.com")! }
///   var path: String {
///     switch self {
///     case .zen: "/zen"
///     case .repos(let user): "/users/\(user)/repos"
///     }
///   }
/// }
/// ```
///
/// `@preconcurrency` lets targets compile that were written for Moya and are not fully `Sendable`, such as
/// cases with `[String: Any]`. In the Swift 6 language mode, the compiler warns, unless the target is
/// `@unchecked Sendable`; in earlier modes, it does not warn. The provider only reads targets.
@preconcurrency public protocol TargetType: Sendable {
  /// The server's URL, to which `path` is appended.
  var baseURL: URL { get }
  /// The unescaped path that is appended to `baseURL`, with or without a leading slash; an empty path leaves
  /// `baseURL` unchanged.
  var path: String { get }
  /// The request method; `.get` by default.
  var method: HTTPMethod { get }
  /// The content of the request; `.requestPlain` by default.
  var task: HTTPTask { get }
  /// The header fields to send; none by default.
  var headers: [String: String]? { get }
  /// The body of a stubbed response; empty by default.
  var sampleData: Data { get }
  /// The stubbed response; status 200 with `sampleData` by default.
  var sampleResponse: EndpointSampleResponse { get }
  /// The status codes that are a success; `.none` by default, which accepts every code.
  var validationType: ValidationType { get }
  /// The accepted media types of a body, such as `application/json` or `text/*`; `nil` by default, which
  /// accepts any type.
  ///
  /// The request fails with `ContentTypeError` if the body has another type. Parameters such as `charset` are
  /// ignored. An empty body is not checked. Status codes are checked first.
  var acceptableContentTypes: [String]? { get }
  /// The complete URL to request; `baseURL` and `path` by default.
  ///
  /// `path` is escaped, including a `?`. Implement this property instead for a complete URL, such as the link
  /// to the next page that a server sent.
  var url: URL { get }
  /// The longest time without traffic, after which the request fails; `nil` by default, which means the 60 s
  /// of a `URLRequest`.
  var timeout: Duration? { get }
  /// Whether caches on the way to the server may respond; `nil` by default, which means as HTTP allows.
  var cachePolicy: URLRequest.CachePolicy? { get }

  /// The maximum size of the response body in bytes, after decompression; `nil` by default, which means the
  /// provider's `responseBodyLimit` or `memoryBodyLimit`.
  ///
  /// The limit applies to bodies in memory, in files and in streams. A negative one counts as 0, and so does the
  /// provider's.
  ///
  /// A larger body fails the request with `TransferError.responseTooLarge` while it arrives.
  var responseBodyLimit: Int? { get }

  /// Whether a request may share the transfer of an equal request in flight if the provider has
  /// `trackInflights` and its transport adds nothing to it that identifies the user; `true` by default for
  /// safe methods (RFC 9110, section 9.2.1).
  ///
  /// A request whose endpoint or plugins replace the target's method shares nothing.
  var sharesInflightRequests: Bool { get }

  /// Changes the request after all other settings have been applied, and before the plugins get it.
  ///
  /// - Parameter request: the request.
  /// - Throws: an error that prevents sending; the request fails with `NetworkError.underlying`, or with
  ///   `NetworkError.cancelled` if the error is a `CancellationError`.
  func modify(_ request: inout URLRequest) throws
}

extension TargetType {
  /// The type of the request method; lets a target write `var method: Method`.
  public typealias Method = HTTPMethod

  /// `GET`.
  public var method: HTTPMethod { .get }
  /// No content.
  public var task: HTTPTask { .requestPlain }
  /// No header fields.
  public var headers: [String: String]? { nil }
  /// An empty body.
  public var sampleData: Data { Data() }
  /// Status 200 with `sampleData`.
  public var sampleResponse: EndpointSampleResponse { .networkResponse(200, sampleData) }
  /// Every status code is accepted.
  public var validationType: ValidationType { .none }
  /// Any media type is accepted.
  public var acceptableContentTypes: [String]? { nil }
  /// `baseURL` with the escaped `path` appended; `baseURL` itself if the path is empty.
  public var url: URL { baseURL.appending(targetPath: path) }
  /// The 60 s of a `URLRequest`.
  public var timeout: Duration? { nil }
  /// As HTTP allows.
  public var cachePolicy: URLRequest.CachePolicy? { nil }

  /// The provider's limit.
  public var responseBodyLimit: Int? { nil }

  /// `true` if the method is safe, such as `GET`.
  public var sharesInflightRequests: Bool { method.isSafe }

  /// Changes nothing.
  public func modify(_ request: inout URLRequest) {}
}
