import Foundation
import LoopbackServer
import NetworkCore
import ReactiveNetwork
import RxLite
import Testing

@Suite("The documentation's examples", .timeLimit(.minutes(1)))
struct DocumentationTests {
  private struct Missing: Error {}

  /// The lines of a text without indentation, empty ones left out.
  private func lines(_ text: some StringProtocol) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
  }

  @Test("each line of the README's first example is one of ReadmeExample.swift, in the same order")
  func readme() throws {
    let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let compiled = lines(
      try String(contentsOf: here.appendingPathComponent("ReadmeExample.swift"), encoding: .utf8))
    let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
    let blocks = readme.components(separatedBy: "```swift\n").dropFirst()
    let block = try #require(blocks.first?.components(separatedBy: "```").first)
    var rest = compiled[...]
    let shown = lines(block)
    #expect(shown.count > 15)
    for line in shown {
      let index = rest.firstIndex(of: line)
      #expect(index != nil, "not in ReadmeExample.swift, or elsewhere: \(line)")
      if let index { rest = rest[(index + 1)...] }
    }
    #expect(readme.split(separator: "\n", omittingEmptySubsequences: false).count < 200)
  }

  @Test("the README's example, run against a server here")
  func run() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/users/:name/repos") { request in
      .json(#"[{"name": "\#(request.parameters["name"] ?? "")-site"}, {"name": "dotfiles"}]"#)
    }
    let provider = NetworkProvider<GitHub>(endpointClosure: { target in
      Endpoint(
        url: server.origin + target.path,
        sampleResponseClosure: { .networkResponse(200, target.sampleData) }, method: target.method,
        task: target.task, httpHeaderFields: target.headers)
    })
    let repos = try await provider.rx.request(.userRepositories("ash"))
      .filterSuccessfulStatusCodes()
      .map([Repo].self)
      .result().get()
    #expect(repos.map(\.name) == ["ash-site", "dotfiles"])
  }
}
