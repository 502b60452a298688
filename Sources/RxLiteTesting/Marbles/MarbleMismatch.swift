/// The error for two marble diagrams that differ.
///
/// Its description shows both diagrams, one above the other, and names the first column that differs:
///
/// ```text
/// the diagrams differ from column 5 on (DebounceTests.swift:31)
///   expected  ---a---b|
///   actual    ---a-b---|
///                  ^
/// ```
public struct MarbleMismatch: Error, Hashable {
  /// The expected diagram, without its spaces; several diagrams for subscriptions.
  public let expected: [String]
  /// The actual diagram.
  ///
  /// A `?` is an event without a character; the notes describe it.
  public let actual: [String]
  /// The first column that differs, counted from the `^` of a sequence.
  public let column: Int
  /// The column of the expected diagram at which time begins.
  let start: Int
  /// The facts that the diagrams cannot show.
  public let notes: [String]
  /// The place in the test's source code.
  public let location: String
}

extension MarbleMismatch: CustomStringConvertible {
  /// Both diagrams, one above the other, and the first column that differs.
  public var description: String {
    let mark = max(0, start + min(column, 10 * Marbles.longest))
    let lines =
      ["the diagrams differ from column \(column) on (\(location))"]
      + MarbleMismatch.block("  expected  ", expected) + MarbleMismatch.block("  actual    ", actual)
      + ["            \(String(repeating: " ", count: mark))^"]
    return (lines + notes.map { "  \($0)" }).joined(separator: "\n")
  }

  private static func block(_ title: String, _ diagrams: [String]) -> [String] {
    let indent = String(repeating: " ", count: title.count)
    return zip([title] + repeatElement(indent, count: diagrams.count), diagrams).map(+)
  }
}
