import Foundation
import LoopbackServer
import Testing

@Suite("The watcher program", .timeLimit(.minutes(5)))
struct WatcherTests {
  private struct Line: Decodable {
    var service: String
    var status: Int?
    var error: String?
  }

  private let watcher = ExampleProgram("watcher")

  private func lines(_ output: String) throws -> [Line] {
    try output.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
  }

  @Test("each response yields a line, and a transient failure is retried")
  func builtIn() async throws {
    let result = try await watcher.run(["--rounds", "2"])
    #expect(result.status == 0, "\(result.errors)")
    let lines = try lines(result.output)
    #expect(lines.count == 6)
    #expect(lines.allSatisfy { $0.status == 200 && $0.error == nil })
    #expect(lines.count { $0.service.hasSuffix("/builds") } == 2)
  }

  @Test("a signal ends the program with no request in flight", arguments: [SIGTERM, SIGINT])
  func signal(number: Int32) async throws {
    let server = try LoopbackServer()
    server.route("/answers") { _ in .json("{}") }
    server.route("/hangs") { _ in .never }
    let arguments = ["--interval", "0.01", "\(server.origin)/answers", "\(server.origin)/hangs"]
    let result = try await watcher.run(arguments) { process, output in
      output.read(until: "/answers")
      try server.waitUntil { $0.requests.contains { $0.path == "/hangs" } }
      kill(process, number)
    }
    #expect(result.status == 0, "\(result.errors)")
    try await server.log { $0.pending == 0 && $0.openConnections == 0 }
    #expect(server.log.abandoned.contains { $0.request.path == "/hangs" })
  }

  @Test("a failing service is reported in its line and in the exit status")
  func failure() async throws {
    let server = try LoopbackServer { _ in .status(404) }
    let result = try await watcher.run(["--once", server.origin])
    #expect(result.status == 1)
    let line = try #require(try lines(result.output).first)
    #expect(line.status == 404)
    #expect(line.error != nil)
  }

  @Test("the program ends cleanly when the reader closes its output")
  func unread() async throws {
    let server = try LoopbackServer { _ in .json("{}") }
    let result = try await watcher.run(["--interval", "0.01", server.origin]) { _, output in
      output.read(until: "\n")
      try output.close()
    }
    #expect(result.status == 1)
    #expect(result.errors == "watcher: the output has been closed\n")
  }

  @Test(
    "invalid arguments are refused with status 2",
    arguments: [
      (["--fast"], #"unknown argument "--fast""#), (["x"], #""x" is not an http or https URL"#),
      (["--rounds", "0"], #""0" is not a number from 1"#),
      (["--interval"], "--interval needs a number of seconds"),
      (["--once=1", "http://h"], "--once takes no value"),
    ])
  func wrongArguments(arguments: [String], message: String) async throws {
    let result = try await watcher.run(arguments)
    #expect(result.status == 2)
    #expect(result.output.isEmpty)
    #expect(result.errors.contains(message), "\(result.errors)")
  }
}
