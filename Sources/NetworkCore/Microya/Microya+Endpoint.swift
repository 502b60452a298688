public import Foundation

extension Microya {
  /// A target in Microya's words: an `APITargetType` whose method brings the body.
  ///
  /// It is not called `Endpoint` at module level, where Moya's class has that name. Everything an `APITargetType` has can be
  /// given too, such as `task` for a body that is no `Data`.
  public protocol Endpoint: APITargetType {
    /// The server's URL; a provider's own takes its place.
    var baseUrl: URL { get }
    /// What is appended to the URL, unescaped.
    var subpath: String { get }
    /// The method with its body.
    var method: HttpMethod { get }
    /// The header fields to send; those of JSON and of the user's language unless given.
    var headers: [String: String] { get }
  }
}

extension Microya.Endpoint {
  /// No server's: the provider has to say it, or no request can be sent (`TransferError.unsupportedURL`).
  public var baseUrl: URL { URL(fileURLWithPath: "/") }

  /// JSON is sent and welcome, in the user's language.
  public var headers: [String: String] {
    [
      "Content-Type": "application/json", "Accept": "application/json",
      "Accept-Language": Locale.current.language.languageCode?.identifier ?? "en",
    ]
  }

  /// `baseUrl`.
  public var baseURL: URL { baseUrl }
  /// `subpath`.
  public var path: String { subpath }

  /// The method without its body.
  public var method: HTTPMethod {
    switch method as HttpMethod {
    case .get: .get
    case .post: .post
    case .patch: .patch
    case .delete: .delete
    }
  }

  /// The body of the method.
  public var task: HTTPTask {
    switch method as HttpMethod {
    case .get, .delete: .requestPlain
    case .post(let body), .patch(let body): .requestData(body)
    }
  }
}

extension TargetType where Self: Microya.Endpoint {
  /// The same fields as a target's.
  public var headers: [String: String]? { headers as [String: String] }
}
