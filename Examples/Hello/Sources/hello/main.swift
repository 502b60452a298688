import LoopbackServer
import ReactiveNetwork

struct Repositories: TargetType {
  let baseURL: URL
  let user: String
  var path: String { "/users/\(user)/repos" }
}

struct Repository: Decodable {
  let name: String
}

// Replaces the real service, so that the program runs without a network.
let server = try LoopbackServer { _ in .json(#"[{"name": "site"}, {"name": "dotfiles"}]"#) }

let provider = NetworkProvider<Repositories>()
do {
  let repositories = try await provider.rx
    .request(Repositories(baseURL: server.baseURL, user: "ash"))
    .filterSuccessfulStatusCodes()
    .map([Repository].self)
    .value
  print(repositories.map(\.name))
} catch {
  print(error.localizedDescription)
}
