import Foundation
import Moya

enum AuthAPI: TargetType {
  case login(user: String, password: String)
  case refresh(token: String)

  var baseURL: URL { URL(string: "https://auth.example.com/v1/")! }
  var path: String {
    switch self {
    case .login: "login"
    case .refresh: "refresh"
    }
  }
  var method: Moya.Method { .post }
  var task: Task {
    switch self {
    case let .login(user, password):
      return .requestJSONEncodable(["user": user, "password": password])
    case let .refresh(token):
      return .requestParameters(parameters: ["token": token], encoding: URLEncoding.httpBody)
    }
  }
  var headers: [String: String]? { nil }
  var sampleData: Data { Data(#"{"access":"new","refresh":"next"}"#.utf8) }
}
