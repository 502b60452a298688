import ReactiveNetwork

/// The requests to a code host.
enum CodeHost: TargetType {
  case searchRepositories(String, at: URL)

  var baseURL: URL {
    switch self {
    case .searchRepositories(_, let host): host
    }
  }

  var path: String { "search/repositories" }

  var task: HTTPTask {
    switch self {
    case .searchRepositories(let query, _):
      .requestParameters(parameters: ["q": query, "per_page": 10], encoding: URLEncoding.default)
    }
  }

  var headers: [String: String]? {
    ["Accept": "application/vnd.github+json", "User-Agent": "typeahead"]
  }

  /// The text of the search.
  var query: String {
    switch self {
    case .searchRepositories(let query, _): query
    }
  }
}
