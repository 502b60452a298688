/// Two marble diagrams that should be the same and are not.
///
/// Its description shows one above the other and names the first column that differs:
///
/// ```text
/// the diagrams differ from column 5 on (DebounceTests.swift:31)
///   expected  ---a---b|
///   actual    ---a-b---|
///                  ^
/// ```
public struct MarbleMismatch: Error, Hashable {
  /// The diagram that was expected, without its spaces; several where subscriptions were.
  public let expected: [String]
  /// What happened; a `?` is an event that no character stands for, and the notes tell which.
  public let actual: [String]
  /// The first column that differs; 0 is where the `^` of a sequence stands.
  public let column: Int
  /// What cannot be seen in the diagrams.
  public let notes: [String]
  /// Where the diagram was expected.
  public let location: String

  /// The column of the expected diagram in which its time begins.
  let start: Int

  init(
    expected: [String], actual: [String], column: Int, start: Int, notes: [String], location: String
  ) {
    self.expected = expected
    self.actual = actual
    self.column = column
    self.start = start
    self.notes = notes
    self.location = location
  }
}

extension MarbleMismatch: CustomStringConvertible {
  /// Both diagrams, one above the other, and where they begin to differ.
  public var description: String {
    let lines =
      ["the diagrams differ from column \(column) on (\(location))"]
      + MarbleMismatch.block("  expected  ", expected) + MarbleMismatch.block("  actual    ", actual)
      + ["            \(String(repeating: " ", count: max(0, start + column)))^"]
    return (lines + notes.map { "  \($0)" }).joined(separator: "\n")
  }

  private static func block(_ title: String, _ diagrams: [String]) -> [String] {
    let indent = String(repeating: " ", count: title.count)
    return zip([title] + repeatElement(indent, count: diagrams.count), diagrams).map(+)
  }
}
