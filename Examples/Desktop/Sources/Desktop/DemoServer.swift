import Foundation
import LoopbackServer

/// A server in this process that responds like a code host.
enum DemoServer {
  static func start(latency: Duration) throws -> LoopbackServer {
    let server = try LoopbackServer()
    let base = server.baseURL
    server.route("GET", "/search/repositories") { request in
      let words = (request.query("q") ?? "").lowercased().split(separator: " ")
      let found = repositories(base).filter { repository in
        let text = "\(repository.fullName) \(repository.description ?? "")".lowercased()
        return words.allSatisfy { text.contains($0) }
      }
      return .json(encoding: ["items": found]).delayed(by: latency)
    }
    server.route("GET", "/pictures/:name") { request in
      .bytes(Identicon(request.parameters["name"] ?? "").png, type: "image/png").delayed(by: latency)
    }
    return server
  }

  /// Repositories of every language for every purpose.
  private static func repositories(_ base: URL) -> [Repository] {
    let languages = ["swift", "rust", "python", "kotlin", "ruby", "go"]
    let purposes = [
      ("http-client", "Requests that can be cancelled"),
      ("reactive", "Sequences of events and operators on them"),
      ("argument-parser", "Reads the options of a command line"), ("json", "Encodes and decodes values"),
      ("websocket", "Messages in both directions"), ("formatter", "One style for all sources"),
      ("linter", "Finds what a reviewer would find"), ("markdown", "Turns notes into pages"),
      ("collections", "Trees, heaps and queues"), ("testing", "Checks, suites and traits"),
    ]
    return languages.flatMap { language in
      purposes.map { purpose, description in
        Repository(
          fullName: "\(language)-lab/\(language)-\(purpose)",
          description: "\(description), for \(language.capitalized)",
          owner: .init(avatarURL: base.appendingPathComponent("pictures/\(language)-\(purpose)")))
      }
    }
  }
}
