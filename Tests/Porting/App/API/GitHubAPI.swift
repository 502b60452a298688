import Foundation
import Moya

enum GitHubAPI {
  case zen
  case userProfile(String)
  case repositories(user: String, page: Int)
  case search(query: String)
  case createIssue(repository: String, title: String, labels: [String])
  case updateProfile(Profile)
  case star(repository: String)
  case markdown(String)
  case hook(body: [String: Any], query: [String: Any])
  case rawHook(Data, query: [String: Any])
  case uploadAvatar(Data)
  case uploadAsset(URL)
  case uploadFiles([URL], description: String)
}

extension GitHubAPI: TargetType {
  var baseURL: URL { return URL(string: "https://api.github.com")! }

  var path: String {
    switch self {
    case .zen:
      return "/zen"
    case .userProfile(let name):
      return "/users/\(name.urlEscaped)"
    case .repositories(let user, _):
      return "/users/\(user.urlEscaped)/repos"
    case .search:
      return "/search/repositories"
    case .createIssue(let repository, _, _):
      return "/repos/\(repository)/issues"
    case .updateProfile:
      return "/user"
    case .star(let repository):
      return "/user/starred/\(repository)"
    case .markdown:
      return "/markdown/raw"
    case .hook, .rawHook:
      return "/hooks"
    case .uploadAvatar, .uploadAsset, .uploadFiles:
      return "/uploads"
    }
  }

  var method: Moya.Method {
    switch self {
    case .zen, .userProfile, .repositories, .search:
      return .get
    case .createIssue, .markdown, .hook, .rawHook, .uploadAvatar, .uploadAsset, .uploadFiles:
      return .post
    case .updateProfile:
      return .patch
    case .star:
      return .put
    }
  }

  var task: Moya.Task {
    switch self {
    case .zen, .userProfile, .star:
      return .requestPlain
    case .repositories(_, let page):
      return .requestParameters(parameters: ["sort": "pushed", "page": page], encoding: URLEncoding.default)
    case .search(let query):
      return .requestParameters(parameters: ["q": query], encoding: URLEncoding.queryString)
    case .createIssue(_, let title, let labels):
      return .requestParameters(
        parameters: ["title": title, "labels": labels], encoding: JSONEncoding.default)
    case .updateProfile(let profile):
      let encoder = JSONEncoder()
      encoder.keyEncodingStrategy = .convertToSnakeCase
      return .requestCustomJSONEncodable(profile, encoder: encoder)
    case .markdown(let text):
      return .requestData(text.data(using: .utf8)!)
    case .hook(let body, let query):
      return .requestCompositeParameters(
        bodyParameters: body, bodyEncoding: URLEncoding.httpBody, urlParameters: query)
    case .rawHook(let data, let query):
      return .requestCompositeData(bodyData: data, urlParameters: query)
    case .uploadAvatar(let data):
      let part = MultipartFormData(
        provider: .data(data), name: "avatar", fileName: "avatar.png", mimeType: "image/png")
      return .uploadMultipart([part])
    case .uploadAsset(let file):
      return .uploadFile(file)
    case let .uploadFiles(files, description):
      var parts = files.map { Moya.MultipartFormBodyPart(provider: .file($0), name: "files[]") }
      parts.append(MultipartFormBodyPart(provider: .data(Data(description.utf8)), name: "description"))
      return .uploadCompositeMultipartFormData(
        MultipartFormData(parts: parts), urlParameters: ["notify": true])
    }
  }

  var validationType: ValidationType {
    switch self {
    case .zen:
      return .successAndRedirectCodes
    case .star:
      return .customCodes([204, 304])
    default:
      return .successCodes
    }
  }

  var headers: [String: String]? {
    return ["Accept": "application/vnd.github+json"]
  }

  var sampleData: Data {
    switch self {
    case .zen:
      return "Half measures are as bad as nothing at all.".data(using: String.Encoding.utf8)!
    case .userProfile(let name):
      return #"{"login":"\#(name)","id":100,"avatar_url":null}"#.data(using: .utf8)!
    case .repositories(let user, let page):
      guard page <= 2 else { return Data("[]".utf8) }
      return #"[{"id":\#(page),"full_name":"\#(user)/one"},{"id":\#(page + 10),"full_name":"\#(user)/two"}]"#
        .data(using: .utf8)!
    case .search(let query):
      return #"{"total_count":1,"items":[{"id":1,"full_name":"found/\#(query)"}]}"#.data(using: .utf8)!
    default:
      return Data()
    }
  }
}

extension GitHubAPI: AccessTokenAuthorizable {
  var authorizationType: AuthorizationType? {
    switch self {
    case .zen, .search:
      return nil
    default:
      return .bearer
    }
  }
}

private extension String {
  var urlEscaped: String {
    return addingPercentEncoding(withAllowedCharacters: .urlHostAllowed)!
  }
}
