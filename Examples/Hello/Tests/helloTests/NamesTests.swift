import LoopbackServer
import ReactiveNetwork
import Testing

@testable import hello

@Test("the program prints the names that the server sent")
func names() async throws {
  let server = try LoopbackServer()
  server.route("GET", "/users/:user/repos") { request in
    .json(#"[{"name": "\#(request.parameters["user"] ?? "")"}]"#)
  }
  let provider = NetworkProvider<Repositories>()
  let target = Repositories(baseURL: server.baseURL, user: "ash")
  let repositories = try await provider.rx.value(target, as: [Repository].self).value
  #expect(repositories.map(\.name) == ["ash"])
  #expect(server.log.requests.map(\.path) == ["/users/ash/repos"])
}
