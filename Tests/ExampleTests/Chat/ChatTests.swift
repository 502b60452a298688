import Testing

@Suite("The chat program", .timeLimit(.minutes(5)))
struct ChatTests {
  private let chat = ExampleProgram("chat")

  @Test("both people receive each line once, although the server drops connections in each way")
  func script() async throws {
    let result = try await chat.run([])
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(result.errors.isEmpty)
    let summary = try #require(result.lines.last)
    // Of the repetitions, the server need not have seen the last ones.
    #expect(
      summary.contains(/^14 lines said, 18 sent \(server saw 1[678]: 14 new, [012] repeated, 2 cut off\)/))
    #expect(
      summary.hasSuffix(
        """
        28 delivered (server stored 14 for 2 people), 7 of 9 connections lost (server dropped 7 of 9); \
        nothing lost, nothing twice
        """))
    #expect(result.lines.count { $0.contains("↻") } == 4)
    for reason in ["without a close frame", "(1012)", "(1013)", "responded with 503"] {
      #expect(result.output.contains("✗") && result.output.contains(reason), "\(reason)")
    }
  }

  @Test("lines that are typed while connections are lost arrive once, and each is answered")
  func typed() async throws {
    let lines = (1...40).map { "\($0)\n" }.joined()
    let result = try await chat.run(["--interactive"], input: (lines + "/quit\nignored\n").utf8)
    #expect(result.status == 0, "\(result.errors)")
    let summary = try #require(result.lines.last)
    #expect(summary.hasPrefix("80 lines said, "))
    #expect(summary.contains("160 delivered (server stored 80 for 2 people)"))
    #expect(summary.hasSuffix("nothing lost, nothing twice"))
    #expect(result.lines.count { $0.hasSuffix("Ada    ← I have read “40”.") } == 1)
    #expect(!result.output.contains("ignored"))
  }

  @Test("the end of the input ends the chat before anything is said")
  func silence() async throws {
    let result = try await chat.run(["--interactive"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.lines.last?.hasPrefix("0 lines said, 0 sent") == true)
  }

  @Test("the program notices a line that is lost because it was not repeated")
  func sentOnce() async throws {
    let result = try await chat.run(["--send-once", "--patience", "2"])
    #expect(result.status == 1)
    #expect(result.lines.last?.hasSuffix("; 1 lost, nothing twice") == true, "\(result.output)")
    #expect(result.errors.contains("chat: the numbers disagree: 1 line lost\n"))
  }

  @Test("--help prints the help")
  func help() async throws {
    let result = try await chat.run(["--help"])
    #expect(result.status == 0)
    #expect(result.output.contains("usage: swift run chat"))
    #expect(result.lines.allSatisfy { $0.count <= 80 })
  }

  @Test(
    "invalid arguments are refused with status 2",
    arguments: [
      (["--fast"], #"unknown argument "--fast""#), (["hello"], #"unknown argument "hello""#),
      (["--url", "ftp://h"], #""ftp://h" is not an ws or wss or http or https URL"#),
      (["--url"], "--url needs a URL"), (["--patience", "0"], #""0" is not a number of seconds above 0"#),
      (["--script=1"], "--script takes no value"),
    ])
  func wrongArguments(arguments: [String], message: String) async throws {
    let result = try await chat.run(arguments)
    #expect(result.status == 2)
    #expect(result.output.isEmpty)
    #expect(result.errors.contains(message), "\(result.errors)")
  }
}
