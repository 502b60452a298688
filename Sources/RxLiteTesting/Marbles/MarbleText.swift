/// A marble diagram split into its marks, regardless of their meaning.
struct MarbleText {
  struct Mark {
    let character: Character
    /// The column, not counting spaces; the marks of a group have the column of its `(`.
    let column: Int
    /// The offset, counting spaces, for messages.
    let offset: Int
  }

  let text: String
  private(set) var marks: [Mark] = []

  init(_ text: String) throws(MarbleError) {
    self.text = text
    var column = 0
    var group: (column: Int, offset: Int, marks: Int)?
    for (offset, character) in text.enumerated() where !character.isWhitespace {
      switch character {
      case "(":
        if group != nil { throw error(.groupInGroup, at: offset) }
        group = (column, offset, marks.count)
      case ")":
        guard let opened = group else { throw error(.groupNotOpened, at: offset) }
        if opened.marks == marks.count { throw error(.groupEmpty, at: offset) }
        group = nil
      case "-":
        if group != nil { throw error(.timeInGroup, at: offset) }
      default:
        marks.append(Mark(character: character, column: group?.column ?? column, offset: offset))
      }
      column += 1
    }
    if let group { throw error(.groupNotClosed, at: group.offset) }
  }

  /// The diagram without spaces, which only serve to align it in the source code.
  var trimmed: String { MarbleText.trimmed(text) }

  static func trimmed(_ text: String) -> String { text.filter { !$0.isWhitespace } }

  /// Returns the column at which time begins: that of the `^`, or 0.
  func columnOfStart() throws(MarbleError) -> Int {
    let starts = marks.filter { $0.character == "^" }
    if starts.count > 1 { throw error(.misplaced(expected: "a single \"^\""), at: starts[1].offset) }
    return starts.first?.column ?? 0
  }

  func error(_ problem: MarbleError.Problem, at offset: Int) -> MarbleError {
    MarbleError(problem: problem, diagram: text, column: offset)
  }
}
