import Foundation
import LoopbackServer
import MoyaCompatibility
import NetworkCore

// The suites of this folder follow, snippet by snippet, the manual and the articles from which people learn
// Moya, RxMoya and Microya. The code is spelled as it is there, except where Swift itself has changed
// (`@Sendable`, `any`, argument labels) or a comment says otherwise.

/// The API that Moya's manual describes.
enum ForgeAPI {
  case zen
  case userProfile(String)
  case userRepositories(String)
  case branches(String, Bool)
  case authenticate
}

extension ForgeAPI: TargetType {
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
  /// A server whose responses equal the samples of `ForgeAPI`.
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

  /// Makes targets send their requests to this server instead of their own.
  @Sendable func endpoint(_ target: ForgeAPI) -> Endpoint {
    return Endpoint(
      url: origin + target.path, sampleResponseClosure: { .networkResponse(200, target.sampleData) },
      method: target.method, task: target.task, httpHeaderFields: target.headers)
  }
}

extension MoyaProvider {
  /// Awaits the result of a request.
  func result(of target: Target) async -> Result<Moya.Response, MoyaError> {
    await withCheckedContinuation { done in request(target) { done.resume(returning: $0) } }
  }
}
