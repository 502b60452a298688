/// What is wrong with a marble diagram, and where.
///
/// Its description shows the diagram with the place below:
///
/// ```text
/// -a-(b-c|
///     ^ column 5, "-": time does not pass inside a group
/// ```
public struct MarbleError: Error, Hashable {
  /// What can be wrong.
  public enum Problem: Hashable, Sendable {
    /// A `(` without its `)`.
    case groupNotClosed
    /// A `)` without its `(`.
    case groupNotOpened
    /// A group with nothing in it.
    case groupEmpty
    /// A group inside of a group.
    case groupInGroup
    /// A `-` inside of a group, whose events happen at once.
    case timeInGroup
    /// A character that is in no table and of which no element can be made.
    case unknown(elementType: String)
    /// A character that means two things: it is in both tables, or in one and has a meaning of its own.
    case ambiguous
    /// A second `^`, `!`, or anything else that cannot stand there in this kind of diagram.
    case misplaced(expected: String)
    /// The clock of the scheduler has passed this column: one run to each scheduler.
    case past(clock: TestTime)
    /// An event that cannot be drawn where it is.
    case undrawable(event: String, reason: String)
  }

  /// What is wrong.
  public let problem: Problem
  /// The diagram as it was written.
  public let diagram: String
  /// The place in it, counted from 0, spaces included.
  public let column: Int

  /// The character at that place; `nil` behind the end.
  public var character: Character? {
    column < diagram.count ? diagram[diagram.index(diagram.startIndex, offsetBy: column)] : nil
  }
}

extension MarbleError: CustomStringConvertible {
  /// The diagram with a mark at the place, and what is wrong there.
  public var description: String {
    let character = character.map { ", \"\($0)\"" } ?? ""
    return """
      bad marble diagram
        \(diagram)
        \(String(repeating: " ", count: column))^ column \(column)\(character): \(problem)
      """
  }
}

extension MarbleError.Problem: CustomStringConvertible {
  /// What is wrong, as the end of a sentence.
  public var description: String {
    switch self {
    case .groupNotClosed: "the group is not closed"
    case .groupNotOpened: "there is no group to close"
    case .groupEmpty: "the group is empty"
    case .groupInGroup: "a group cannot contain a group"
    case .timeInGroup: "time does not pass inside a group"
    case .unknown(let type): "not in the table, and no \(type) can be made of it"
    case .ambiguous: "it has two meanings; take it out of the table"
    case .misplaced(let expected): "expected \(expected)"
    case .past(let clock): "the clock shows \(clock) already; make new Marbles for each run"
    case .undrawable(let event, let reason): "\(event) cannot be drawn: \(reason)"
    }
  }
}
