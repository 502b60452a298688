import Foundation
import LoopbackServer
import ReactiveNetworkChildProcess
import ReactiveNetworkLock
import Testing

@Suite("The ask program", .timeLimit(.minutes(5)))
struct AskTests {
  private let ask = ExampleProgram("ask")
  private static let key = "sk-secret-0123456789"

  /// The events of an answer in OpenAI's form.
  private static func events(_ pieces: [String], id: Bool = false, ends: Bool = true) -> String {
    let texts = pieces.enumerated().map { index, piece in
      let text = String(decoding: (try? JSONEncoder().encode(piece)) ?? Data(), as: UTF8.self)
      return (id ? "id: \(index + 1)\n" : "")
        + "data: {\"choices\": [{\"delta\": {\"content\": \(text)}}]}\n\n"
    }
    return texts.joined() + (ends ? "data: [DONE]\n\n" : "")
  }

  private static func stream(_ events: String) -> LoopbackServer.Reply {
    .bytes(events.utf8, type: "text/event-stream")
  }

  private static func url(_ server: LoopbackServer) -> String { "\(server.origin)/v1" }

  /// What a request asks.
  private struct Asked: Decodable {
    struct Message: Decodable, Equatable {
      let role: String
      let content: String
    }
    let model: String
    let stream: Bool
    let messages: [Message]
    let max_tokens: Int?
  }

  private static func asked(_ request: LoopbackServer.Request) throws -> Asked {
    try JSONDecoder().decode(Asked.self, from: request.body)
  }

  @Test(
    "the script's answers arrive in full, although the server drops one, is overloaded and sees one cancelled",
    arguments: ["openai", "anthropic"])
  func script(api: String) async throws {
    let result = try await ask.run(["--api", api])
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(result.errors.isEmpty)
    #expect(
      result.lines.last == """
        4 questions, 6 requests sent (server saw 6), 3 answered, 1 cancelled (server saw 1 closed), \
        1 connection lost (server dropped 1), 1 refused (server refused 1); nothing lost, nothing twice
        """)
    #expect(result.lines.contains("One, two, three, four, five, six, "))
    #expect(result.lines.count { $0.hasSuffix("words arrived, asking for the rest") } == 1)
    #expect(result.lines.count { $0.hasSuffix("asking again") } == 1)
  }

  @Test("OpenAI's form: the key is a bearer token, and the answer is the whole output")
  func openAI() async throws {
    let server = try LoopbackServer { _ in Self.stream(Self.events(["Hello", ", ", "Ada."])) }
    let result = try await ask.run(
      ["--url", Self.url(server), "--model", "m", "Who", "am I?"], environment: ["OPENAI_API_KEY": Self.key])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output == "Hello, Ada.\n")
    let request = try #require(server.log.requests.first)
    #expect((request.method, request.path) == ("POST", "/v1/chat/completions"))
    #expect(request.headers["Authorization"] == "Bearer \(Self.key)")
    let asked = try Self.asked(request)
    #expect((asked.model, asked.stream, asked.max_tokens) == ("m", true, nil))
    #expect(asked.messages == [.init(role: "user", content: "Who am I?")])
  }

  @Test("Anthropic's form: the key and the version are fields, and the conversation goes on")
  func anthropic() async throws {
    let events = """
      event: message_start
      data: {"type": "message_start", "message": {}}

      event: content_block_delta
      data: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Yes."}}

      event: message_delta
      data: {"type": "message_delta", "delta": {"stop_reason": "max_tokens"}}

      event: message_stop
      data: {"type": "message_stop"}


      """
    let server = try LoopbackServer { _ in Self.stream(events) }
    let result = try await ask.run(
      ["--url", Self.url(server), "--api", "anthropic"], input: "One?\n\nTwo?\n/quit\nThree?\n".utf8,
      environment: ["ANTHROPIC_API_KEY": "\(Self.key)\r\n"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output == "Yes.\nYes.\n")
    #expect(result.errors.contains("ask: the model stopped early: max_tokens\n"))
    let log = server.log
    #expect(log.requests.map(\.path) == ["/v1/messages", "/v1/messages"])
    #expect(log.requests.first?.headers["x-api-key"] == Self.key)
    #expect(log.requests.first?.headers["anthropic-version"] == "2023-06-01")
    let second = try Self.asked(try #require(log.requests.last))
    #expect(second.messages.map(\.content) == ["One?", "Yes.", "Two?"])
    #expect(second.messages.map(\.role) == ["user", "assistant", "user"])
    #expect((second.max_tokens ?? 0) > 0)
  }

  @Test("a lost connection resumes, and the output is the whole answer, each word once")
  func resumption() async throws {
    let server = try LoopbackServer { request in
      if request.headers["Last-Event-ID"] == "2" { return Self.stream(Self.events(["three ", "four"])) }
      let events = Self.events(["one ", "two "], id: true, ends: false)
      return Self.stream(events + "data: {\"choi").chunked().truncated(after: events.utf8.count + 5)
    }
    let result = try await ask.run(["--url", Self.url(server), "Count"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output == "one two three four\n")
    #expect(result.errors.hasSuffix("2 words arrived, asking for the rest\n"))
    let requests = server.log.requests
    #expect(requests.map { $0.headers["Last-Event-ID"] } == [nil, "2"])
    // For a server that ignores the field.
    let messages = try Self.asked(try #require(requests.last)).messages
    #expect(messages.prefix(2).map(\.content) == ["Count", "one two "])
    #expect(messages.map(\.role) == ["user", "assistant", "user"])
  }

  @Test("an answer that keeps breaking off is asked for four times, and a line says what is lost")
  func lost() async throws {
    let server = try LoopbackServer { _ in Self.stream(Self.events(["word "], ends: false)) }
    let result = try await ask.run(["--url", Self.url(server), "Count"])
    #expect(result.status == 1)
    #expect(result.output == "word word word word \n")
    #expect(
      result.errors.hasSuffix("ask: the answer is lost after 4 words: the response ended too early\n"))
    #expect(server.log.requestCount == 4)
  }

  /// The faults that end an answer at once, and the end of the line that reports each.
  private static let faults: [(name: String, reply: LoopbackServer.Reply, line: String)] = [
    (
      "no key", .json(#"{"error": {"message": "No key"}}"#, status: 401),
      "no answer: the server responded with 401: No key (OPENAI_API_KEY is not set)"
    ),
    (
      "a page", .text("<html>"),
      #"no answer: The Content-Type of the response is "text/plain; charset=utf-8""#
    ),
    ("no JSON", stream("data: {\n\n"), "no answer: an event is malformed: {"),
    (
      "an error event",
      stream(events(["a b"], ends: false) + "data: {\"error\": {\"type\": \"x\", \"message\": \"y\"}}\n\n"),
      "the answer is lost after 2 words: the server reports x: y"
    ),
    (
      "escapes", .json(#"{"error": {"message": "\u001b[2J"}}"#, status: 400),
      "no answer: the server responded with 400: \u{FFFD}[2J"
    ),
  ]

  @Test("a fault ends the program with status 1 and one line", arguments: faults.indices)
  func fault(index: Int) async throws {
    let fault = Self.faults[index]
    let server = try LoopbackServer { _ in fault.reply }
    let result = try await ask.run(["--url", Self.url(server), "Why?"])
    #expect(result.status == 1, "\(fault.name)")
    #expect(result.errors.hasPrefix("ask: \(fault.line)"), "\(fault.name): \(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 1, "\(fault.name)")
    #expect(server.log.requestCount == 1, "\(fault.name)")
  }

  @Test("text of the server can neither control the terminal nor show the key")
  func harmlessText() async throws {
    let pieces = ["a\u{1B}[2Jb\n\tsk", "-secret-01234", "56789", " sk-secret", " sk-s"]
    let refusal = #"{"error": {"message": "bad key \#(Self.key)"}}"#
    let server = try LoopbackServer { request in
      request.text.contains("refuse") ? .json(refusal, status: 403) : Self.stream(Self.events(pieces))
    }
    let result = try await ask.run(
      ["--url", Self.url(server)], input: "tell\nrefuse\n".utf8, environment: ["OPENAI_API_KEY": Self.key])
    #expect(result.output == "a\u{FFFD}[2Jb\n\t[key] sk-secret sk-s\n")
    #expect(result.errors == "ask: no answer: the server responded with 403: bad key [key]\n")
    #expect(result.status == 1)
  }

  @Test("a redirect takes the key nowhere", arguments: ["openai", "anthropic"])
  func redirect(api: String) async throws {
    let other = try LoopbackServer { _ in Self.stream(Self.events(["stolen"])) }
    let server = try LoopbackServer { _ in .redirect(to: other.origin, status: 307) }
    let result = try await ask.run(
      ["--url", Self.url(server), "--api", api, "Where?"],
      environment: ["OPENAI_API_KEY": Self.key, "ANTHROPIC_API_KEY": Self.key])
    #expect(result.status == 1)
    #expect(result.errors == "ask: no answer: the server responded with 307\n")
    #expect(other.log.requestCount == 0)
  }

  @Test("Ctrl-C cancels the answer, and the server sees it")
  func interrupt() async throws {
    let gate = LoopbackServer.Gate()
    let events = Self.events(["one ", "two "], ends: false)
    let server = try LoopbackServer { _ in
      Self.stream(events + Self.events(["three"])).bodyHeld(until: gate, after: events.utf8.count)
    }
    let read = Lock("")
    let result = try await ask.run(["--url", Self.url(server), "Count"]) { id, output in
      let text = output.read(until: "two ")
      read.withLock { $0 = text }
      kill(id, SIGINT)
    }
    #expect(result.status == 130)
    #expect(read.withLock { $0 } == "one two ")
    let log = try await server.log { $0.abandoned.count == 1 }
    #expect(log.abandoned.first?.phase == .sending)
  }

  @Test("--help prints the help")
  func help() async throws {
    let result = try await ask.run(["--help"])
    #expect(result.status == 0)
    #expect(result.output.contains("usage: swift run ask"))
    #expect(result.lines.allSatisfy { $0.count <= 80 })
  }

  @Test(
    "invalid arguments are refused with status 2",
    arguments: [
      (["--fast"], #"unknown argument "--fast""#), (["--url"], "--url needs a URL"),
      (["--url", "ftp://h"], #""ftp://h" is not an http or https URL"#),
      (["--api", "x"], #""x" is not openai or anthropic"#), (["--script=1"], "--script takes no value"),
      (["--patience", "0"], #""0" is not a number of seconds above 0"#),
    ])
  func wrongArguments(arguments: [String], message: String) async throws {
    let result = try await ask.run(arguments)
    #expect(result.status == 2)
    #expect(result.output.isEmpty)
    #expect(result.errors.contains(message), "\(result.errors)")
  }
}

#if canImport(Glibc)
  @Suite("The ask program on a terminal", .timeLimit(.minutes(5)))
  struct AskTerminalTests {
    @Test("Ctrl-C cancels an answer, and at the prompt it ends the program")
    func interrupt() async throws {
      let terminal = try PseudoTerminal("ask", [])
      var screen = ""
      let status = try await terminal.process.waitForExit {
        screen = try await onBlockingThread {
          var screen = terminal.read(until: "> ")
          try terminal.type("Can you count to a million?\n")
          screen += terminal.read(until: "six, ")
          kill(terminal.process.id, SIGINT)
          screen += terminal.read(until: "> ")
          try terminal.type("Hello?\n")
          // In one read, because both may arrive together.
          screen += terminal.read(until: "a model would answer.\r\n> ")
          kill(terminal.process.id, SIGINT)
          return screen
        }
      }
      #expect(screen.contains("you asked:"))
      #expect(!screen.contains("seven"))
      #expect(status == 130)
    }
  }
#endif
