/// A key that edits the text or ends the program.
enum Key: Equatable, Sendable {
  case character(Character)
  case backspace
  case clear
  case quit

  /// The key as the transcript shows it.
  var label: String {
    switch self {
    case .character(" "): "␣"
    case .character(let character): String(character)
    case .backspace: "⌫"
    case .clear: "^U"
    case .quit: "^C"
    }
  }
}

extension String {
  /// Returns the text after a key.
  func typing(_ key: Key) -> String {
    switch key {
    case .character(let character): self + String(character)
    case .backspace: String(dropLast())
    case .clear, .quit: ""
    }
  }
}
