import LoopbackServer
import ReactiveNetwork
import Testing

@Suite("Examples in Getting started", .timeLimit(.minutes(5)))
struct GettingStartedTests {
  struct Repositories: TargetType {
    let baseURL: URL
    let user: String
    var path: String { "/users/\(user)/repos" }
  }

  struct Repository: Decodable {
    let name: String
  }

  @Test("the first program prints the names")
  func program() async throws {
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
      #expect(repositories.map(\.name) == ["site", "dotfiles"])
    } catch {
      print(error.localizedDescription)
      throw error
    }
  }

  struct Note: Codable, Sendable {
    var id: Int?
    var text: String
  }

  enum Notes: TargetType {
    case list(page: Int)
    case add(Note)
    case remove(id: Int)

    var baseURL: URL { URL(string: "https://notes.example")! }

    var path: String {
      switch self {
      case .list, .add: "/notes"
      case .remove(let id): "/notes/\(id)"
      }
    }

    var method: HTTPMethod {
      switch self {
      case .list: .get
      case .add: .post
      case .remove: .delete
      }
    }

    var task: HTTPTask {
      switch self {
      case .list(let page):
        .requestParameters(parameters: ["page": page], encoding: URLEncoding.queryString)
      case .add(let note): .requestJSONEncodable(note)
      case .remove: .requestPlain
      }
    }
  }

  /// Calls a service that does not exist, so it is not run.
  private func atHome() -> NetworkProvider<Notes> {
    let notes = NetworkProvider<Notes>()
    return notes
  }

  @Test("the targets of a service send the requests that their cases describe")
  func ask() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/notes") { request in
      .json(#"[{"id": \#(request.query("page") ?? ""), "text": "milk"}]"#)
    }
    server.route("POST", "/notes") { .json($0.text, status: 201) }
    let notes = NetworkProvider<Notes>(at: server)
    let (counts, continuation) = AsyncStream.makeStream(of: Int.self)
    @Sendable func print(_ count: Int) { continuation.yield(count) }
    @Sendable func print(_ error: String) { continuation.yield(-1) }

    let bag = DisposeBag()
    notes.rx.request(.list(page: 1))
      .filterSuccessfulStatusCodes()
      .map([Note].self)
      .subscribe(
        onMain: { list in print(list.count) },
        onFailure: { error in print(error.localizedDescription) }
      )
      .disposed(by: bag)

    #expect(await counts.first { _ in true } == 1)
    #expect(try await notes.rx.value(.list(page: 7), as: [Note].self).value.map(\.id) == [7])
    let sent = try await notes.value(for: .add(Note(text: "bread")), as: Note.self)
    #expect(sent.text == "bread")
    #expect(try await notes.response(for: .remove(id: 3)).statusCode == 404)
    #expect(server.log.requests.last.map { "\($0.method) \($0.target)" } == "DELETE /notes/3")
  }

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
}
