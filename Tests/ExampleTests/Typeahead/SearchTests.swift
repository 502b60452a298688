import LoopbackServer
import Testing

@Suite("The typeahead program", .timeLimit(.minutes(5)))
struct SearchTests {
  private static let page =
    #"{"total_count": 1, "items": [{"full_name": "a/b", "stargazers_count": 1234, "language": null}]}"#

  @Test("the program searches the built-in catalogue for its input")
  func builtIn() async throws {
    let result = try await ExampleProgram("typeahead").run(["--interactive"], input: "swift rxx\u{7F}".utf8)
    #expect(result.status == 0)
    #expect(result.errors.isEmpty)
    #expect(
      result.lines.last == """
        10 keystrokes, 1 request sent, 0 cancelled (server saw 0 closed before the response), 1 answered, \
        1 rendered last: 7 results for "swift rx"
        """)
  }

  @Test("the script runs against another server, with the requests that a code host expects")
  func otherServer() async throws {
    let server = try LoopbackServer { _ in .json(Self.page) }
    let result = try await ExampleProgram("typeahead").run(["--base-url", "\(server.origin)/api"])
    #expect(result.status == 0)
    #expect(result.output.contains(#"← 1 result for "swift rx""#))
    #expect(result.output.contains("a/b"))
    #expect(result.lines.last?.hasPrefix("14 keystrokes, ") == true)
    #expect(result.lines.last?.hasSuffix(#"1 rendered last: 1 result for "swift rx""#) == true)
    let last = try #require(server.log.requests.last)
    #expect(last.path == "/api/search/repositories")
    #expect(last.query("q") == "swift rx")
    #expect(last.headers["User-Agent"] == "typeahead")
  }

  @Test("an incomplete character does not swallow the key that quits")
  func brokenCharacter() async throws {
    let server = try LoopbackServer { _ in .json(#"{"total_count": 0, "items": []}"#) }
    let result = try await ExampleProgram("typeahead").run(
      ["--interactive", "--base-url", server.origin], input: [0x61, 0xE9, 0x03, 0x63, 0x80, 0x64])
    #expect(result.status == 0)
    #expect(!server.log.requests.contains { $0.query("q")?.contains("c") ?? false })
  }

  @Test("the environment's proxy is not used for this machine")
  func proxy() async throws {
    let result = try await ExampleProgram("typeahead").run(
      ["--interactive"], input: "rx".utf8, environment: ["http_proxy": "http://127.0.0.1:1"])
    #expect(result.status == 0)
    #expect(result.output.contains("1 answered"))
  }

  @Test("a server's text cannot control the terminal")
  func escapes() async throws {
    let server = try LoopbackServer { _ in
      .json(#"{"total_count": 1, "items": [{"full_name": "a/\u001b[2Jb", "stargazers_count": 1}]}"#)
    }
    let result = try await ExampleProgram("typeahead").run(
      ["--interactive", "--base-url", server.origin], input: "x".utf8)
    #expect(result.output.contains("a/\u{FFFD}[2Jb"))
    #expect(!result.output.contains("\u{1B}"))
  }

  /// The possible failures, and the line that reports each.
  static let failures: [(name: String, reply: LoopbackServer.Reply, line: String)] = [
    (
      "rate limit",
      .json(#"{"message": "API rate limit exceeded"}"#, status: 403).header("X-RateLimit-Remaining", "0")
        .header("Retry-After", "42"), "rate limit (403), try again in 42 s"
    ),
    ("refused", .json("{}", status: 403), "the server responded with 403"),
    ("server error", .status(500), "the server responded with 500"),
    ("malformed JSON", .json(#"{"total_count": 1, "items": ["#), "malformed JSON in the response"),
    ("other JSON", .json("[]"), "malformed JSON in the response"),
    ("time-out", .never, "no response within 5 s"),
    ("not HTTP", .raw("SSH-2.0\r\n".utf8), "The server's response is not valid HTTP"),
    ("closed", .close, "The connection was lost"),
  ]

  @Test("a failure is reported in one line, and the program continues", arguments: failures.indices)
  func faults(index: Int) async throws {
    let fault = Self.failures[index]
    let server = try LoopbackServer { request in
      request.query("q") == "swift" ? fault.reply : .json(Self.page)
    }
    let timeout = fault.name == "time-out" ? "5" : "60"
    let result = try await ExampleProgram("typeahead").run([
      "--base-url", server.origin, "--timeout", timeout,
    ])
    #expect(result.status == 0, "\(fault.name)")
    #expect(result.errors.isEmpty, "\(fault.name)")
    let lines = result.lines.filter { $0.contains(#"! "swift": "#) }
    #expect(lines.count == 1, "\(fault.name): \(result.output)")
    #expect(lines.first?.contains(fault.line) == true, "\(fault.name): \(lines)")
    #expect(result.lines.last?.hasSuffix(#"1 result for "swift rx""#) == true, "\(fault.name)")
  }

  @Test("a refused connection is reported in one line for each search, and the program continues")
  func refused() async throws {
    // The port of a stopped server may soon be reused; nothing listens on this one.
    let result = try await ExampleProgram("typeahead").run(["--base-url", "http://127.0.0.1:1"])
    #expect(result.status == 0)
    let line = #"! "swift rx": no connection to 127.0.0.1:1"#
    #expect(result.lines.count { $0.hasSuffix(line) } == 1)
    #expect(result.lines.last?.hasPrefix("14 keystrokes, ") == true)
  }

  @Test("--help prints the help")
  func help() async throws {
    let result = try await ExampleProgram("typeahead").run(["--help"])
    #expect(result.status == 0)
    #expect(result.output.contains("usage: swift run typeahead"))
    #expect(result.lines.allSatisfy { $0.count <= 80 })
  }

  @Test(
    "invalid arguments are refused with status 2",
    arguments: [
      (["--fast"], #"unknown argument "--fast""#), (["swift"], #"unknown argument "swift""#),
      (["--base-url"], "--base-url needs a URL"), (["--base-url", "ftp://h"], #""ftp://h" is not an http"#),
      (["--timeout", "soon"], #""soon" is not a number"#),
      (["--timeline"], "--timeline needs a file"), (["--interactive=1"], "--interactive takes no value"),
    ])
  func wrongArguments(arguments: [String], message: String) async throws {
    let result = try await ExampleProgram("typeahead").run(arguments)
    #expect(result.status == 2)
    #expect(result.output.isEmpty)
    #expect(result.errors.contains(message))
    #expect(result.errors.split(separator: "\n").count == 1)
  }
}
