/// An error in a marble diagram, and its position.
///
/// Its description shows the diagram and marks the position below it:
///
/// ```text
/// -a-(b-c|
///     ^ column 5, "-": time does not pass inside a group
/// ```
public struct MarbleError: Error, Hashable {
  /// The kind of error.
  public enum Problem: Hashable, Sendable {
    /// A `(` without a `)`.
    case groupNotClosed
    /// A `)` without a `(`.
    case groupNotOpened
    /// An empty group.
    case groupEmpty
    /// A group inside a group.
    case groupInGroup
    /// A `-` inside a group, whose events occur at the same time.
    case timeInGroup
    /// A character that is in no table and cannot be converted to an element.
    case unknown(elementType: String)
    /// A character with two meanings: it is in both tables, or is in one and also has a fixed meaning.
    case ambiguous
    /// A second `^` or `!`, or another character that is not allowed there in this kind of diagram.
    case misplaced(expected: String)
    /// The clock of the scheduler has passed this column: each test needs a new scheduler.
    case past(clock: TestTime)
    /// An event that cannot be drawn at its position.
    case undrawable(event: String, reason: String)
  }

  /// The kind of error.
  public let problem: Problem
  /// The diagram as written.
  public let diagram: String
  /// The position in the diagram, counted from 0 and including spaces.
  public let column: Int

  /// The character at the position; `nil` after the end.
  public var character: Character? {
    column < diagram.count ? diagram[diagram.index(diagram.startIndex, offsetBy: column)] : nil
  }
}

extension MarbleError: CustomStringConvertible {
  /// The diagram with a mark at the position, and the error there.
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
  /// The problem in words, without the diagram.
  public var description: String {
    switch self {
    case .groupNotClosed: "the group is not closed"
    case .groupNotOpened: "there is no group to close"
    case .groupEmpty: "the group is empty"
    case .groupInGroup: "a group cannot contain a group"
    case .timeInGroup: "time does not pass inside a group"
    case .unknown(let type): "it is not in the table and cannot be converted to \(type)"
    case .ambiguous: "it has two meanings; remove it from the table"
    case .misplaced(let expected): "expected \(expected)"
    case .past(let clock): "the clock is already at \(clock); create new Marbles for each run"
    case .undrawable(let event, let reason): "\(event) cannot be drawn: \(reason)"
    }
  }
}
