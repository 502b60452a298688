/// A diagram of marks at given times, and the marks that the diagram cannot show.
struct MarbleDrawing {
  struct Mark {
    let time: TestTime
    /// `nil` if the tables have no character for the event.
    let character: Character?
    /// The event as text, for messages about marks that the diagram cannot show.
    let label: String
  }

  /// The diagram.
  ///
  /// A mark without a character is drawn as `?`.
  private(set) var text = ""
  /// The marks that the diagram cannot show, and the reasons.
  private(set) var omitted: [(mark: Mark, reason: String)] = []

  private var width = 0

  /// - Parameters:
  ///   - marks: the marks in the order of their times.
  ///   - origin: the time of the first column.
  ///   - column: the length of a column in ticks.
  ///   - limit: the maximum number of columns.
  init(_ marks: [Mark], origin: TestTime, column: Int, limit: Int) {
    var rest = marks[...]
    while let first = rest.first {
      let group = rest.prefix { $0.time == first.time }
      rest = rest.dropFirst(group.count)
      let time = first.time.ticks(since: origin)
      if let reason = omissionReason(at: time, column, limit) {
        omitted += group.map { ($0, reason) }
      } else {
        let start = time / column
        let characters = String(group.map { $0.character ?? "?" })
        let mark = group.count == 1 ? characters : "(\(characters))"
        text += String(repeating: "-", count: start - width) + mark
        width = start + mark.count
        omitted += group.filter { $0.character == nil }.map { ($0, "no character stands for it") }
      }
    }
  }

  private func omissionReason(at time: TestTime, _ column: Int, _ limit: Int) -> String? {
    if time < 0 { return "it is before the first column" }
    if time % column != 0 { return "it is between two columns" }
    if time / column >= limit { return "it is too far to the right" }
    if time / column < width { return "the group before it covers its column" }
    return nil
  }
}

extension TestTime {
  /// The ticks since another time, at most as many as can be counted.
  func ticks(since other: TestTime) -> Int {
    let (difference, isTooLarge) = subtractingReportingOverflow(other)
    return isTooLarge ? (self < other ? .min : .max) : difference
  }
}
