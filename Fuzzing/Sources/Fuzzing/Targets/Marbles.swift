// Property: the events of a diagram are those that a plain loop over its characters finds, or there is an
// error for both; and they can be drawn, and are read again from the drawing.
import RxLite
import RxLiteTesting

@Sendable func testMarbles(_ input: FuzzInput) throws {
  var input = input
  let column = Int(input.byte() & 3) + 1
  let marbles = Marbles(column: column)
  let expected = plainEvents(input.text, origin: marbles.origin, column: column)
  let events: [Recorded<Event<String>>]
  do {
    events = try marbles.events(input.text)
  } catch {
    try require(expected == nil, "\(error)")
    try require(
      error.column >= 0 && error.column <= input.text.count, "the error is at column \(error.column)")
    return
  }
  try requireEqual(events, expected, "the events of \(input.text)")
  // Without the blanks between them, two characters may become one, such as a letter and a combining mark.
  let characters = Array(input.text).filter { !$0.isWhitespace }
  guard String(characters).count == characters.count, !input.text.contains("\u{FFFD}") else { return }
  // A diagram of events has at most 10,000 columns.
  guard input.text.count < 1_000 else { return }
  let drawing = try marbles.diagram(of: events)
  try requireEqual(try marbles.events(drawing), events, "\(drawing) for \(input.text)")
}

/// Returns the events of a diagram; `nil` if it is invalid.
private func plainEvents(_ text: String, origin: Int, column: Int) -> [Recorded<Event<String>>]? {
  var marks: [(place: Int, character: Character)] = []
  var (place, members): (Int, Int) = (0, 0)
  var (start, group): (Int?, Int?)
  for character in text where !character.isWhitespace {
    switch (character, group) {
    case ("(", nil): (group, members) = (place, 0)
    case (")", .some) where members > 0: group = nil
    case ("-", nil): break
    case ("(", _), (")", _), ("-", _), ("!", _): return nil
    case ("^", _):
      guard start == nil else { return nil }
      (start, members) = (group ?? place, members + 1)
    default:
      marks.append((group ?? place, character))
      members += 1
    }
    place += 1
  }
  guard group == nil else { return nil }
  return marks.map { mark in
    let event: Event<String> =
      switch mark.character {
      case "|": .completed
      case "#": .error(MarbleFailure())
      default: .next(String(mark.character))
      }
    return Recorded(time: origin + (mark.place - (start ?? 0)) * column, value: event)
  }
}
