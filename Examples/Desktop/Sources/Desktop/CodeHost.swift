import ReactiveNetwork

/// The requests to a code host with GitHub's search.
enum CodeHost: TargetType {
  case search(String, at: URL)
  /// The picture of an owner, at the address that a search has returned.
  case picture(URL)

  var baseURL: URL {
    switch self {
    case .search(_, let host): host
    case .picture(let url): url
    }
  }

  var path: String {
    switch self {
    case .search: "search/repositories"
    case .picture: ""
    }
  }

  var task: HTTPTask {
    switch self {
    case .search(let text, _):
      .requestParameters(parameters: ["q": text, "per_page": 50], encoding: URLEncoding.queryString)
    case .picture: .requestPlain
    }
  }
}

/// A repository as described by the search.
struct Repository: Codable, Sendable, Equatable {
  struct Owner: Codable, Sendable, Equatable {
    let avatarURL: URL

    enum CodingKeys: String, CodingKey { case avatarURL = "avatar_url" }
  }

  let fullName: String
  let description: String?
  let owner: Owner

  enum CodingKeys: String, CodingKey {
    case fullName = "full_name"
    case description, owner
  }
}
