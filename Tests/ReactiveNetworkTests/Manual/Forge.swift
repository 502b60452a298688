import Foundation
import LoopbackServer
@_spi(Moya) import NetworkCore

// The suites of this folder go through the manual and the articles that people learn Moya, RxMoya and Microya from, snippet by
// snippet. Code is spelled as it is there, but where Swift itself has changed (`@Sendable`, `any`, argument labels) or a comment
// says otherwise.

/// The API that the manual of Moya describes.
enum Forge {
  case zen
  case userProfile(String)
  case userRepositories(String)
  case branches(String, Bool)
  case authenticate
}

extension Forge: TargetType {
  var baseURL: URL { return URL(string: "https://api.forge.example")! }

  var path: String {
    switch self {
    case .zen:
      return "/zen"
    case .userProfile(let name):
      return "/users/\(name.urlEscaped)"
    case .userRepositories(let name):
      return "/users/\(name.urlEscaped)/repos"
    case .branches(let repo, _):
      return "/repos/\(repo.urlEscaped)/branches"
    case .authenticate:
      return "/login"
    }
  }

  var method: Moya.Method {
    return .get
  }

  var task: Task {
    switch self {
    case .userRepositories:
      return .requestParameters(parameters: ["sort": "pushed"], encoding: URLEncoding.default)
    case .branches(_, let protected):
      return .requestParameters(
        parameters: ["protected": "\(protected)"], encoding: URLEncoding.default)
    default:
      return .requestPlain
    }
  }

  var sampleData: Data {
    switch self {
    case .zen, .authenticate:
      return "Well begun is half done.".data(using: String.Encoding.utf8)!
    case .userProfile(let name):
      return "{\"login\": \"\(name)\", \"id\": 100}".data(using: String.Encoding.utf8)!
    case .userRepositories(_):
      return "[{\"name\": \"Repo Name\"}]".data(using: String.Encoding.utf8)!
    case .branches:
      return "[{\"name\": \"main\"}]".data(using: String.Encoding.utf8)!
    }
  }

  var headers: [String: String]? {
    return ["Content-Type": "application/json"]
  }
}

extension String {
  var urlEscaped: String {
    return addingPercentEncoding(withAllowedCharacters: .urlHostAllowed)!
  }
}

extension LoopbackServer {
  /// A server that answers as the samples of `Forge` do.
  static func forge() throws -> LoopbackServer {
    try LoopbackServer { request in
      switch request.path {
      case "/zen": .text("Well begun is half done.")
      case "/users/ash": .json(#"{"login": "ash", "id": 100}"#)
      case "/users/ash/repos": .json(#"[{"name": "Repo Name"}]"#)
      case "/slow": .never
      default: .status(404)
      }
    }
  }

  /// Has targets ask this server in place of their own.
  @Sendable func endpoint(_ target: Forge) -> Endpoint {
    return Endpoint(
      url: origin + target.path, sampleResponseClosure: { .networkResponse(200, target.sampleData) },
      method: target.method, task: target.task, httpHeaderFields: target.headers)
  }
}

extension MoyaProvider {
  /// The end of a request, awaited.
  func end(of target: Target) async -> Result<Moya.Response, MoyaError> {
    await withCheckedContinuation { done in request(target) { done.resume(returning: $0) } }
  }
}
