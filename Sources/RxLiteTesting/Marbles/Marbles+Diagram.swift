public import RxLite

extension Marbles {
  /// Draws events as a diagram.
  ///
  /// - Parameters:
  ///   - events: the events in the order of their times. Column 0 is `origin`; earlier events are drawn left
  ///     of a `^`.
  ///   - values: the characters for elements.
  ///   - errors: the characters for errors.
  /// - Returns: a diagram that represents the same events.
  /// - Throws: `MarbleError` if there is no character for an event, if a diagram cannot show it because it
  ///   is between two columns, or because the group before it covers its column, or if a table defines a character
  ///   of the diagram that has a fixed meaning.
  public func diagram<Element: Equatable>(
    of events: [Recorded<Event<Element>>], values: [Character: Element] = [:],
    errors: [Character: any Error] = [:]
  ) throws(MarbleError) -> String {
    let legend = MarbleLegend(values: values, errors: errors)
    let drawing = draw(legend.marks(for: events, preferring: []), limit: 10 * Marbles.longest)
    guard let (mark, reason) = drawing.omitted.first else {
      try legend.checkFixedMarks(of: MarbleText(drawing.text))
      return drawing.text
    }
    throw MarbleError(
      problem: .undrawable(event: "\(mark.label) at \(mark.time)", reason: reason), diagram: drawing.text,
      column: drawing.text.count)
  }

  func draw(_ marks: [MarbleDrawing.Mark], limit: Int) -> MarbleDrawing {
    // Marks further left are omitted, because the diagram would be too long.
    let nearest = marks.first { origin.ticks(since: $0.time) / column < 10 * Marbles.longest }
    guard let first = nearest?.time, first < origin else {
      return MarbleDrawing(marks, origin: origin, column: column, limit: limit)
    }
    let lead = (origin - first + column - 1) / column
    let start = MarbleDrawing.Mark(time: origin, character: "^", label: "the ^")
    let (before, after) = (marks.prefix { $0.time < origin }, marks.drop { $0.time < origin })
    return MarbleDrawing(
      before + [start] + after, origin: origin - lead * column, column: column, limit: lead + limit)
  }
}
