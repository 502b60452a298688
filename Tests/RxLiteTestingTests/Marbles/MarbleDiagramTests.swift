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
}
