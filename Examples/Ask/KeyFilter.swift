/// Removes a secret from text that arrives in pieces, because a server may send it back.
struct KeyFilter: Sendable {
  private static let replacement = "[key]"
  private let key: String
  /// The end of the text so far, if it may be the beginning of the key.
  private var held = ""

  /// Creates a filter for a key; `nil` if there is nothing to hide.
  init(_ key: String?) { self.key = key ?? "" }

  /// Returns the text that can be shown after the next piece.
  mutating func filter(_ piece: String) -> String {
    guard !key.isEmpty else { return piece }
    let text = (held + piece).replacing(key, with: Self.replacement)
    let count = (0..<min(key.count, text.count + 1)).last { text.hasSuffix(key.prefix($0)) } ?? 0
    held = String(text.suffix(count))
    return String(text.dropLast(count))
  }

  /// Returns what has been held back, at the end of the text.
  mutating func finish() -> String {
    defer { held = "" }
    return held
  }

  /// Returns a whole text without the key.
  func whole(_ text: String) -> String {
    key.isEmpty ? text : text.replacing(key, with: Self.replacement)
  }
}
