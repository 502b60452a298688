public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// One thing a server can be asked for, with all that is needed to ask: usually a case of an enum.
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
/// `@preconcurrency` lets targets written for Moya compile that are not quite `Sendable`, such as cases that carry
/// `[String: Any]`: in the Swift 6 language mode with a warning, which `@unchecked Sendable` silences, before it
/// without. The provider only ever reads a target.
@preconcurrency public protocol TargetType: Sendable {
  /// The server's URL, which `path` is appended to.
  var baseURL: URL { get }
  /// What is appended to `baseURL`, unescaped; with or without a leading slash. Empty leaves `baseURL` as it is.
  var path: String { get }
  /// The request method; `.get` unless given.
  var method: HTTPMethod { get }
  /// What the request carries; `.requestPlain` unless given.
  var task: HTTPTask { get }
  /// The header fields to send; none unless given.
  var headers: [String: String]? { get }
  /// The body a stub answers with; empty unless given.
  var sampleData: Data { get }
  /// The answer of a stub; status 200 with `sampleData` unless given.
  var sampleResponse: EndpointSampleResponse { get }
  /// Which status codes are a success; `.none`, every one, unless given.
  var validationType: ValidationType { get }
  /// The media types that a body may have, such as `application/json` or `text/*`; `nil`, any, unless given.
  ///
  /// The request fails with `ContentTypeError` for a body of another type. Parameters such as `charset` do not matter,
  /// an empty body has no type to check, and status codes are checked first.
  var acceptableContentTypes: [String]? { get }
  /// The whole URL to request; `baseURL` and `path` unless given.
  ///
  /// `path` is escaped, a `?` in it too. Give this instead for a URL that is whole already, such as the link to
  /// the next page that a server sent.
  var url: URL { get }
  /// The seconds without any traffic after which the request fails; `nil`, the 60 of a `URLRequest`, unless given.
  var timeout: TimeInterval? { get }
  /// Whether caches between here and the server may answer; `nil`, as HTTP allows, unless given.
  var cachePolicy: URLRequest.CachePolicy? { get }

  /// The most bytes that the body of an answer may have, decoded where it comes compressed, in memory, in a file or as a
  /// stream; `nil`, the provider's `responseBodyLimit` or `memoryBodyLimit`, unless given.
  ///
  /// A larger one fails the request with `TransferError.responseTooLarge` while it arrives.
  var responseBodyLimit: Int? { get }

  /// Whether a request may share the transfer of an equal one that is under way, where the provider has
  /// `trackInflights`; those with a safe method (RFC 9110, section 9.2.1) unless given.
  var sharesInflightRequests: Bool { get }

  /// Changes the request after everything else has been put into it, and before the plugins see it.
  ///
  /// - Parameter request: the request.
  /// - Throws: what keeps the request from being sent; it fails with `NetworkError.underlying`.
  func modify(_ request: inout URLRequest) throws
}

extension TargetType {
  /// The request method; the alias lets a target write `var method: Method`.
  public typealias Method = HTTPMethod

  /// `GET`.
  public var method: HTTPMethod { .get }
  /// Nothing but the head.
  public var task: HTTPTask { .requestPlain }
  /// No header fields.
  public var headers: [String: String]? { nil }
  /// An empty body.
  public var sampleData: Data { Data() }
  /// Status 200 with `sampleData`.
  public var sampleResponse: EndpointSampleResponse { .networkResponse(200, sampleData) }
  /// Every status code is a success.
  public var validationType: ValidationType { .none }
  /// Any media type.
  public var acceptableContentTypes: [String]? { nil }
  /// `baseURL` with `path` appended and escaped; `baseURL` itself where the path is empty.
  public var url: URL { baseURL.appending(targetPath: path) }
  /// The 60 s of a `URLRequest`.
  public var timeout: TimeInterval? { nil }
  /// As HTTP allows.
  public var cachePolicy: URLRequest.CachePolicy? { nil }

  /// As the provider says.
  public var responseBodyLimit: Int? { nil }

  /// Where the method is safe, such as `GET`.
  public var sharesInflightRequests: Bool { method.isSafe }

  /// Changes nothing.
  public func modify(_ request: inout URLRequest) {}
}
