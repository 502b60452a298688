import ReactiveNetwork

/// The requests to a chat server.
enum ChatService: TargetType {
  /// Joins the room; the server begins with the line after the given number.
  case room(after: Int, name: String, at: URL)

  var baseURL: URL {
    switch self {
    case .room(_, _, let server): server
    }
  }

  var path: String { "room" }

  var task: HTTPTask {
    switch self {
    case .room(let number, let name, _):
      .requestParameters(parameters: ["after": number, "name": name], encoding: URLEncoding.default)
    }
  }
}
