import LoopbackServer
import ReactiveNetworkChildProcess
import Foundation
import ReactiveNetworkLock
import Testing

@Suite("The chat program with another server", .timeLimit(.minutes(5)))
struct DirectChatTests {
  /// The codes of the close frames that a server has received.
  private final class CloseCodes: Sendable {
    private let state = Lock([UInt16?]())
    var all: [UInt16?] { state.withLock { $0 } }
    func add(_ code: UInt16?) { state.withLock { $0.append(code) } }
  }

  private let codes = CloseCodes()

  /// A server that sends each text back in a greeting.
  private func greeter() throws -> LoopbackServer {
    let codes = codes
    return try LoopbackServer { _ in
      .webSocket { socket in
        while case .text(let text)? = socket.receive() { socket.send(.text("hello, \(text)")) }
        codes.add(socket.closing?.code)
      }
    }
  }

  private func url(_ server: LoopbackServer) -> String { "ws://127.0.0.1:\(server.port)/room" }

  @Test(
    "each line is a message, and the end of the input closes with 1000",
    arguments: ["", "/quit\nignored\n"])
  func lines(end: String) async throws {
    let server = try greeter()
    let result = try await ExampleProgram("chat").run(
      ["--url", url(server)], input: "Ada\nGrace\n\(end)".utf8)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.lines == ["hello, Ada", "hello, Grace"])
    #expect(codes.all == [1000])
    #expect(server.log.requests.map(\.path) == ["/room"])
  }

  @Test("a signal closes with 1000, with a status that names it", arguments: [SIGINT, SIGTERM])
  func signal(number: Int32) async throws {
    let server = try greeter()
    let (input, output) = (Pipe(), Pipe())
    let process = try ChildProcess(
      ExampleProgram("chat").url.path, ["--url", url(server)],
      input: .descriptor(input.fileHandleForReading.fileDescriptor),
      output: .descriptor(output.fileHandleForWriting.fileDescriptor))
    try output.fileHandleForWriting.close()
    let status = try await process.waitForExit {
      try await onBlockingThread {
        // The input stays open, so that only the signal ends the program.
        try input.fileHandleForWriting.write(contentsOf: Data("Ada\n".utf8))
        output.fileHandleForReading.read(until: "hello, Ada")
        kill(process.id, number)
      }
    }
    #expect(status == 128 + number)
    try await server.log { $0.openConnections == 0 }
    #expect(codes.all == [1000])
  }

  @Test("a server's text cannot control the terminal")
  func escapes() async throws {
    let server = try LoopbackServer { _ in
      .webSocket { socket in
        socket.send(.text("a\u{1B}[2Jb"))
        socket.send(.binary([1, 2, 3]))
        while socket.receive() != nil {}
      }
    }
    let result = try await ExampleProgram("chat").run(["--url", url(server)])
    #expect(result.lines == ["a\u{FFFD}[2Jb", "(3 B)"])
  }

  /// The possible failures, and the beginning of the line that reports each.
  static let failures: [(reply: LoopbackServer.Reply, line: String)] = [
    (.status(404), "the server responded with 404"),
    (.webSocket { $0.close(code: 1011, reason: "tired") }, "The server closed the WebSocket (1011): tired."),
    (.webSocket { $0.abort() }, "The connection was lost: "),
  ]

  @Test("a failure ends the program with one line", arguments: failures.indices)
  func failure(index: Int) async throws {
    let failure = Self.failures[index]
    let server = try LoopbackServer { _ in failure.reply }
    let (input, errors) = (Pipe(), Pipe())
    let process = try ChildProcess(
      ExampleProgram("chat").url.path, ["--url", url(server)],
      input: .descriptor(input.fileHandleForReading.fileDescriptor),
      errors: .descriptor(errors.fileHandleForWriting.fileDescriptor))
    try errors.fileHandleForWriting.close()
    // The input stays open until the program has ended, because its end would close the connection first.
    let status = try await process.waitForExit {}
    #expect(status == 1)
    let text = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    #expect(text.hasPrefix("chat: \(failure.line)"))
    #expect(text.split(separator: "\n").count == 1)
    try input.fileHandleForWriting.close()
  }
}

#if canImport(Glibc)
  @Suite("The chat program on a terminal", .timeLimit(.minutes(5)))
  struct ChatTerminalTests {
    @Test("a terminal on standard input makes the program interactive", arguments: [true, false])
    func terminal(quits: Bool) async throws {
      let terminal = try PseudoTerminal("chat", [])
      var screen = ""
      let status = try await terminal.process.waitForExit {
        screen = try await onBlockingThread {
          let introduction = terminal.read(until: "/quit ends the chat.")
          try terminal.type("What is this?\n")
          let answer = terminal.read(until: "← I have read “What is this?”.")
          if quits { try terminal.type("/quit\n") } else { kill(terminal.process.id, SIGINT) }
          return introduction + answer + terminal.read(until: "nothing twice")
        }
      }
      #expect(screen.contains("You are Ada"))
      #expect(screen.contains("→ What is this?"))
      #expect(screen.contains("← I have read “What is this?”."))
      #expect(screen.contains("nothing twice") == quits)
      #expect(status == (quits ? 0 : 130))
    }
  }
#endif
