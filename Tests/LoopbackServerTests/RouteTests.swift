import LoopbackServer
import Testing

@Suite("Routes", .timeLimit(.minutes(5)))
struct RouteTests {
  private func server() throws -> LoopbackServer {
    let server = try LoopbackServer { _ in .status(404) }
    server.route("GET", "/users/:name/repos/:repo") { request in
      .text("\(request.parameters["name"] ?? "-") \(request.parameters["repo"] ?? "-")")
    }
    server.route("GET", "/users/me") { _ in .text("me") }
    server.route("GET", "/users/:name") { _ in .text("user") }
    server.route("DELETE", "/users/:name") { _ in .status(204) }
    server.route("/any") { .text($0.method) }
    server.route("/files/*") { _ in .text("files") }
    server.route("/marks/*/all") { _ in .text("marks") }
    return server
  }

  @Test(
    "the first matching route responds",
    arguments: [
      ("GET", "/users/ash/repos/moya", "ash moya"), ("GET", "/users/a%2Fb/repos/c%20d", "a/b c d"),
      ("GET", "/users/me", "me"), ("GET", "/users/ash", "user"), ("GET", "/users/ash?x=/y", "user"),
      ("POST", "/any", "POST"), ("GET", "/any", "GET"), ("GET", "/files/a/b", "files"),
      ("GET", "/files/", "files"),
      ("GET", "/files", "files"), ("GET", "/marks/*/all", "marks"),
    ])
  func fits(method: String, target: String, text: String) throws {
    let server = try server()
    #expect(try RawClient(server).response(method, target).text == text)
  }

  @Test(
    "the default handler responds if no route matches",
    arguments: [
      ("POST", "/users/me"), ("GET", "/users"), ("GET", "/users/ash/repos"), ("GET", "/any/"),
      ("GET", "/filesystem"), ("GET", "/marks/a/b"), ("GET", "/marks/a/all"),
    ])
  func fallsThrough(method: String, target: String) throws {
    let server = try server()
    #expect(try RawClient(server).response(method, target).status == 404)
  }

  @Test("a route for GET also matches HEAD")
  func head() throws {
    let server = try server()
    let response = try RawClient(server).response("HEAD", "/users/me")
    #expect(response.status == 200)
    #expect(response.fields["content-length"] == "2")
  }

  @Test("the log holds the parameters of the route")
  func logged() throws {
    let server = try server()
    _ = try RawClient(server).response("DELETE", "/users/ash")
    #expect(server.log.requests.first?.parameters == ["name": "ash"])
  }

  @Test("a route can be added while the server runs")
  func addedLater() throws {
    let server = try LoopbackServer()
    let peer = try RawClient(server)
    #expect(try peer.response("GET", "/late").status == 404)
    server.route("/late") { _ in .status(200) }
    #expect(try peer.response("GET", "/late").status == 200)
  }
}
