// Property: the events that are read from a diagram can be drawn, and are read again from the drawing.
import RxLite
import RxLiteTesting

@Sendable func testMarbles(_ input: FuzzInput) throws {
  var input = input
  let column = Int(input.byte() & 3) + 1
  let marbles = Marbles(column: column)
  let events: [Recorded<Event<String>>]
  do {
    events = try marbles.events(input.text)
  } catch {
    try require(
      error.column >= 0 && error.column <= input.text.count, "the error is at column \(error.column)")
    return
  }
  // Without the blanks between them, two characters may become one, such as a letter and a combining mark.
  let characters = Array(input.text).filter { !$0.isWhitespace }
  guard String(characters).count == characters.count, !input.text.contains("\u{FFFD}") else { return }
  // A diagram of events has at most 10,000 columns.
  guard input.text.count < 1_000 else { return }
  let drawing = try marbles.diagram(of: events)
  try requireEqual(try marbles.events(drawing), events, "\(drawing) for \(input.text)")
}
