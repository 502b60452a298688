import Foundation
import NetworkCore
import ObjectMapperCompatibility

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

private func use(_: Any...) {}

private enum GitHub: TargetType {
  case zen
  case repos(String)

  var baseURL: URL { URL(string: "https://api.github.com")! }
  var path: String {
    switch self {
    case .zen: "/zen"
    case .repos(let user): "/users/\(user)/repos"
    }
  }
}

extension GitHub: AccessTokenAuthorizable {
  var authorizationType: AuthorizationType? { .bearer }
}

private struct Item: Decodable, Sendable {
  let name: String
}

private enum Shop: APITargetType {
  struct ClientErrorType: Decodable { let message: String }
  case items(page: Int)

  var baseURL: URL { URL(string: "https://shop.example")! }
  var path: String { "/items" }
  var queryParameters: [String: QueryParameterValue] {
    switch self {
    case .items(let page): ["page": "\(page)", "tag": ["new", "sale"]]
    }
  }
}

private func items(_ provider: NetworkProvider<Shop>) async {
  switch await provider.response(on: .items(page: 1), decodeBodyTo: [Item].self) {
  case .success(let items): print(items)
  case .failure(.clientError(_, let error?)): print(error.message)
  case .failure(let error): print(error)
  }
}

private func mocked() {
  let time = ManualDelayScheduler()
  let provider = NetworkProvider<Shop>(mockingBehavior: .init(delay: .milliseconds(500), scheduler: time))
  use(provider)
}

private func several() {
  let provider = NetworkProvider<MultiTarget>()
  provider.request(MultiTarget(GitHub.zen)) { print($0) }
}

private func formText() throws -> String {
  struct Search: Encodable {
    var text = "swift"
    var pages = [1, 2]
  }
  return try URLEncodedFormEncoder().encode(Search()) as String
}

private func form(_ search: some Encodable) -> HTTPTask {
  .requestEncodable(search, encoder: .urlEncodedForm(destination: .queryString))
}

private func json(_ user: some Encodable, _ snakeCaseEncoder: JSONEncoder) -> HTTPTask {
  .requestEncodable(user, encoder: .json(encoder: snakeCaseEncoder))
}

private func query() -> HTTPTask {
  .requestParameters(parameters: ["q": "swift", "page": 2], encoding: URLEncoding.queryString)
}

private func multipart(_ picture: URL) -> HTTPTask {
  .uploadMultipartFormData([
    MultipartFormBodyPart(provider: .data(Data("Lorem".utf8)), name: "title"),
    MultipartFormBodyPart(provider: .file(picture), name: "picture"),
  ])
}

private func suggestedName(_ folder: URL) -> HTTPTask {
  let task = HTTPTask.downloadDestination { _, response in
    (folder.appending(path: response.safeSuggestedFilename), [.removePreviousFile])
  }
  return task
}

private func headers() {
  var headers: HTTPHeaders = ["Accept": "application/json"]
  headers.update(name: "accept", value: "text/plain")
  _ = headers["ACCEPT"]
  let purge = HTTPMethod(rawValue: "PURGE")
  use(purge)
}

private func status(_ response: Response) {
  _ = HTTPStatus.notFound.code
  _ = HTTPStatus(429).reasonPhrase
  _ = response.status == .created
}

private func values(_ map: Map) {
  _ = map["address.city"]
  _ = map["tags.0"]
  _ = map["a.b", nested: false]
}

private struct User: Mappable {
  var name = ""
  var city: String?
  var joined: Date?

  init?(map: Map) {}

  mutating func mapping(map: Map) {
    name <- map["name"]
    city <- map["address.city"]
    joined <- (map["joined"], ISO8601DateTransform())
  }
}

private func users(_ response: Response) throws {
  let users = try response.mapArray(type: User.self, atKeyPath: "users")
  let user = Mapper<User>().map(JSON: ["name": "ash"])
  use(users, user as Any)
}
