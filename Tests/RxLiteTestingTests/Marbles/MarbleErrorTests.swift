import RxLite
import RxLiteTesting
import Testing

@Suite("MarbleError")
struct MarbleErrorTests {
  private enum Failure: Error { case first }

  private let marbles = Marbles()

  private func error(
    _ diagram: String, values: [Character: Int] = ["a": 1, "b": 2], errors: [Character: any Error] = [:]
  ) -> MarbleError? {
    #expect(throws: MarbleError.self) { try marbles.events(diagram, values: values, errors: errors) }
  }

  @Test(
    "groups must be closed, not nested and not empty",
    arguments: [
      ("-(ab", .groupNotClosed, 1, "("), ("-a)", .groupNotOpened, 2, ")"), ("-()", .groupEmpty, 2, ")"),
      ("(a(b))", .groupInGroup, 2, "("), (" (a-b)", .timeInGroup, 3, "-"),
    ] as [(String, MarbleError.Problem, Int, Character)])
  func groups(diagram: String, problem: MarbleError.Problem, column: Int, character: Character) {
    let error = error(diagram)
    #expect(error?.problem == problem)
    #expect(error?.column == column)
    #expect(error?.character == character)
    #expect(error?.diagram == diagram)
  }

  @Test("a character without a meaning is named")
  func unknown() {
    let error = error("-a- x")
    #expect(error?.problem == .unknown(elementType: "Int"))
    #expect(error?.column == 4)
    #expect(error?.character == "x")
  }

  @Test("a character with two meanings is named")
  func ambiguous() {
    #expect(error("-a|", values: ["a": 1, "|": 2])?.character == "|")
    #expect(error("-a", errors: ["a": Failure.first])?.problem == .ambiguous)
    #expect(error("-a|", errors: ["|": Failure.first])?.column == 2)
    for mark in ["|", "^", "!"] as [Character] {
      #expect(error("-a\(mark)", values: ["a": 1, mark: 2])?.problem == .ambiguous)
      #expect(error("-a\(mark)", errors: [mark: Failure.first])?.problem == .ambiguous)
    }
  }

  @Test(
    "a table cannot redefine the marks of time, of groups and of alignment",
    arguments: [("-", 0), (" ", 1), ("(", 2), (")", 5)] as [(Character, Int)])
  func fixedMarks(mark: Character, column: Int) {
    let diagram = "- (ab)"
    for found in [
      error(diagram, values: ["a": 1, "b": 2, mark: 3]), error(diagram, errors: [mark: Failure.first]),
    ] {
      #expect(found?.problem == .ambiguous)
      #expect(found?.column == column)
    }
  }

  @Test("the mark ^ occurs once, in a cold sequence only at the left, and ! only in subscriptions")
  func misplaced() {
    #expect(error("-^-^")?.column == 3)
    #expect(error("-a-!")?.column == 3)
    let cold = #expect(throws: MarbleError.self) { try marbles.cold("-a^") }
    #expect(cold?.column == 2)
  }

  @Test(
    "the diagram of a subscription has one ^ and then at most one !",
    arguments: [("", 0), ("---", 3), ("!", 0), ("-!-^", 1), ("^-a", 2), ("^-!-!", 4), ("^^", 1)])
  func subscriptions(diagram: String, column: Int) throws {
    let error = try #require(
      #expect(throws: MarbleError.self) {
        try marbles.expect("|", during: diagram, from: Observable<String>.empty())
      })
    guard case .misplaced = error.problem else {
      Issue.record(error)
      return
    }
    #expect(error.column == column)
    let source = try marbles.cold("|")
    #expect(throws: error) { try marbles.expect(subscriptions: diagram, of: source) }
  }

  @Test("a clock that has run can neither run again nor go back")
  func past() throws {
    try marbles.expect("|", from: Observable<String>.empty())
    let error = #expect(throws: MarbleError.self) {
      try marbles.expect("|", from: Observable<String>.empty())
    }
    #expect(error?.problem == .past(clock: 1_200))
    #expect(throws: MarbleError.self) { try marbles.hot("-a") }
    #expect(throws: MarbleError.self) { try Marbles(origin: 2).hot("a--^") }
  }

  @Test("a hot sequence that begins in the past is an error, although its later events are in the future")
  func pastBeginning() {
    let error = #expect(throws: MarbleError.self) { try Marbles(origin: 2).hot("a--^-b") }
    #expect(error?.problem == .past(clock: 0))
  }

  @Test("its description shows the position below the diagram")
  func description() {
    #expect(
      error("-a -(b-)")?.description == """
        bad marble diagram
          -a -(b-)
                ^ column 6, "-": time does not pass inside a group
        """)
    let empty = #expect(throws: MarbleError.self) {
      try marbles.expect("|", during: "--", from: Observable<String>.empty())
    }
    #expect(
      empty?.description == """
        bad marble diagram
          --
            ^ column 2: expected a "^" first
        """)
  }
}
