public import Foundation

extension Microya {
  /// A target with Microya's names: an `APITargetType` whose method contains the body.
  ///
  /// It is not named `Endpoint` at module level, because Moya's class has that name. You can also implement
  /// all properties of `APITargetType`, such as `task` for a body that is not `Data`.
  public protocol Endpoint: APITargetType {
    /// The server's URL; a provider's `baseUrl` replaces it.
    var baseUrl: URL { get }
    /// The unescaped path that is appended to the URL.
    var subpath: String { get }
    /// The method with its body.
    var method: HttpMethod { get }
    /// The header fields to send; by default those of JSON and of the user's language.
    var headers: [String: String] { get }
  }
}

extension Microya.Endpoint {
  /// A URL without a server: unless the provider has a `baseUrl`, requests fail with
  /// `TransferError.unsupportedURL`.
  public var baseUrl: URL { URL(fileURLWithPath: "/") }

  /// The fields for sending and accepting JSON, in the user's language.
  public var headers: [String: String] {
    [
      "Content-Type": "application/json", "Accept": "application/json",
      "Accept-Language": Locale.current.language.languageCode?.identifier ?? "en",
    ]
  }

  /// The server's URL: `baseUrl`.
  public var baseURL: URL { baseUrl }
  /// The unescaped path: `subpath`.
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
  /// The same fields, as an optional.
  public var headers: [String: String]? { headers as [String: String] }
}
