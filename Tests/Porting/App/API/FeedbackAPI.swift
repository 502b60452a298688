import Foundation
import Moya

/// A public target, whose requirements are public too.
public enum FeedbackAPI {
  case send(text: String)
  case list
}

extension FeedbackAPI: TargetType {
  /// The server.
  public var baseURL: URL { return URL(string: "https://feedback.example.com")! }

  /// The path of all requests.
  public var path: String { return "/feedback" }

  /// The method of the request.
  public var method: Moya.Method {
    switch self {
    case .send:
      return .post
    case .list:
      return .get
    }
  }

  /// The body of the request.
  public var task: Task {
    switch self {
    case .send(let text):
      return .requestParameters(parameters: ["text": text], encoding: JSONEncoding.default)
    case .list:
      return .requestPlain
    }
  }

  /// No additional header fields.
  public var headers: [String: String]? { return nil }

  /// The body of a stubbed response.
  public var sampleData: Data { return Data(#"["good"]"#.utf8) }
}
