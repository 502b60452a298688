/// Marks at times, drawn as a diagram as far as that can be done.
struct MarbleDrawing {
  struct Mark {
    let time: TestTime
    /// `nil` where nothing in the tables stands for what happened.
    let character: Character?
    /// What happened, for those who cannot see it in the diagram.
    let label: String
  }

  /// The diagram; a mark without a character is a `?`.
  private(set) var text = ""
  /// What cannot be seen in the diagram, and why.
  private(set) var missing: [(mark: Mark, reason: String)] = []

  private var width = 0

  /// - Parameters:
  ///   - marks: in the order of their times.
  ///   - origin: the time of the first column.
  ///   - column: how long a column lasts.
  ///   - limit: how many columns there may be.
  init(_ marks: [Mark], origin: TestTime, column: Int, limit: Int) {
    var rest = marks[...]
    while let first = rest.first {
      let group = rest.prefix { $0.time == first.time }
      rest = rest.dropFirst(group.count)
      if let obstacle = obstacle(at: first.time - origin, column, limit) {
        missing += group.map { ($0, obstacle) }
      } else {
        let start = (first.time - origin) / column
        let characters = String(group.map { $0.character ?? "?" })
        let mark = group.count == 1 ? characters : "(\(characters))"
        text += String(repeating: "-", count: start - width) + mark
        width = start + mark.count
        missing += group.filter { $0.character == nil }.map { ($0, "no character stands for it") }
      }
    }
  }

  private func obstacle(at time: TestTime, _ column: Int, _ limit: Int) -> String? {
    if time < 0 { return "it is before the first column" }
    if time % column != 0 { return "it is between two columns" }
    if time / column >= limit { return "it is far to the right" }
    if time / column < width { return "it is below the group in front of it" }
    return nil
  }
}
