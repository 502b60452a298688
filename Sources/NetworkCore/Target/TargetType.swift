public import Foundation

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
  /// Which status codes are a success; `.none`, every one, unless given.
  var validationType: ValidationType { get }
  /// The whole URL to request; `URL(target: self)`, that is `baseURL` and `path`, unless given.
  ///
  /// `path` is escaped, a `?` in it too. Give this instead for a URL that is whole already, such as the link to
  /// the next page that a server sent.
  var requestURL: URL { get }
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
  /// Every status code is a success.
  public var validationType: ValidationType { .none }
  /// `baseURL` with `path` appended.
  public var requestURL: URL { URL(target: self) }
}
