import RxLite
import RxLiteTesting
import Testing

@Suite("Drawing events as marble diagrams")
struct MarbleDiagramTests {
  private enum Failure: Error { case first }

  private let marbles = Marbles()

  @Test(
    "a diagram that is read and drawn is unchanged",
    arguments: [
      "", "a", "-a-b--c|", "-(ab)c-(d|)", "---#", "a--(bc)-^-d|", "(a|)", "--|", "ab^(c#)",
    ])
  func roundTrip(diagram: String) throws {
    let events: [Recorded<Event<String>>] = try marbles.events(diagram)
    #expect(try marbles.diagram(of: events) == diagram)
    let wide = Marbles(origin: 1_000, column: 7)
    #expect(try wide.diagram(of: wide.events(diagram) as [Recorded<Event<String>>]) == diagram)
  }

  @Test("the tables are read in reverse, and the first of several characters is used")
  func tables() throws {
    let events: [Recorded<Event<Int>>] = [
      .next(201, 10), .next(203, 20), .next(204, 5), .error(206, Failure.first),
    ]
    #expect(
      try marbles.diagram(of: events, values: ["c": 10, "b": 10, "d": 20], errors: ["X": Failure.first])
        == "-b-d5-X")
  }

  @Test("a character with another meaning does not represent an element")
  func reserved() {
    for element in ["-", "|", "#", "(", "^", "!", " ", "long", ""] {
      let problem = #expect(throws: MarbleError.self) { try marbles.diagram(of: [.next(201, element)]) }
      #expect(
        problem?.problem
          == .undrawable(event: "next(\(element)) at 201", reason: "no character stands for it"))
    }
    #expect(throws: MarbleError.self) { try marbles.diagram(of: [.next(201, 5)], values: ["5": 7]) }
    #expect(throws: MarbleError.self) {
      try marbles.diagram(of: [.next(201, 5)], errors: ["5": Failure.first])
    }
  }

  @Test(
    "a character that a diagram would read otherwise does not represent an event, although it is in a table",
    arguments: ["-", "|", "(", ")", "^", "!", " ", "\t"] as [Character])
  func reservedInTables(mark: Character) {
    let failed: [Recorded<Event<Int>>] = [.error(201, Failure.first)]
    #expect(throws: MarbleError.self) { try marbles.diagram(of: [.next(201, 10)], values: [mark: 10]) }
    #expect(throws: MarbleError.self) { try marbles.diagram(of: failed, errors: [mark: Failure.first]) }
  }

  @Test(
    "a table with a character for time has no diagram that would contain it",
    arguments: ["-", "("] as [Character])
  func tableForTime(mark: Character) {
    let twice: [Recorded<Event<Int>>] = [.next(201, 2), .next(201, 2)]
    #expect(throws: MarbleError.self) { try marbles.diagram(of: twice, values: [mark: 1, "b": 2]) }
  }

  @Test("a character in both tables represents nothing, and a redefined # is no MarbleFailure")
  func redefined() throws {
    let failed: [Recorded<Event<Int>>] = [.error(201, MarbleFailure())]
    #expect(throws: MarbleError.self) {
      try marbles.diagram(of: [.next(201, 10)], values: ["x": 10], errors: ["x": Failure.first])
    }
    #expect(throws: MarbleError.self) { try marbles.diagram(of: failed, values: ["#": 10]) }
    #expect(throws: MarbleError.self) { try marbles.diagram(of: failed, errors: ["#": Failure.first]) }
    #expect(try marbles.diagram(of: failed, errors: ["x": Failure.first]) == "-#")
  }

  @Test("an element that is white space does not represent itself")
  func whiteSpace() {
    for element in ["\t", "\n", "\u{A0}"] {
      #expect(throws: MarbleError.self) { try marbles.diagram(of: [.next(201, element)]) }
    }
  }

  @Test("a digit represents a number with a fraction part of zero")
  func floatingPoint() throws {
    let events: [Recorded<Event<Double>>] = try marbles.events("-7-(2|)")
    #expect(events == [.next(201, 7), .next(203, 2), .completed(203)])
    #expect(try marbles.diagram(of: events) == "-7-(2|)")
    #expect(throws: MarbleError.self) { try marbles.diagram(of: [.next(201, 7.5)]) }
  }

  @Test("an event between two columns, covered by a group or too far to the right cannot be drawn")
  func undrawable() {
    let wide = Marbles(column: 10)
    func reason(_ events: Recorded<Event<String>>...) -> String? {
      let error = #expect(throws: MarbleError.self) { try wide.diagram(of: events) }
      guard case .undrawable(_, let reason) = error?.problem else { return nil }
      return reason
    }
    #expect(reason(.next(210, "a"), .next(215, "b")) == "it is between two columns")
    #expect(reason(.next(195, "a")) == "it is between two columns")
    #expect(
      reason(.next(210, "a"), .next(210, "b"), .next(220, "c")) == "the group before it covers its column")
    #expect(reason(.completed(.max - 7)) != nil)
    #expect(reason(.completed(1_000_000)) == "it is too far to the right")
  }

  @Test("an error names the ^ if a group covers its column")
  func coveredStart() {
    let events: [Recorded<Event<String>>] = [.next(199, "a"), .next(199, "b")]
    let error = #expect(throws: MarbleError.self) { try marbles.diagram(of: events) }
    #expect(
      error?.problem
        == .undrawable(event: "the ^ at 200", reason: "the group before it covers its column"))
  }

  @Test("a diagram has less than 10,000 columns on each side of column 0")
  func longest() throws {
    let events: [Recorded<Event<String>>] = [.next(200 - 9_999, "a"), .next(200 + 9_999, "b")]
    let diagram = try marbles.diagram(of: events)
    #expect(diagram.count == 2 * 9_999 + 1)
    #expect(try marbles.events(diagram) == events)
    for time in [Int.min, 200 - 10_000, 200 + 10_000] {
      #expect(throws: MarbleError.self) { try marbles.diagram(of: [.next(time, "a")]) }
    }
  }
}
