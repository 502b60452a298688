/// Something to say.
struct Remark: Sendable {
  let author: String
  let text: String
}

/// Decides who says what next, and when the conversation is over.
struct Conversation: Sendable {
  enum Event: Sendable {
    case began
    /// The user has typed a line.
    case typed(String)
    case inputEnded
    /// Everyone has received a line.
    case heard(ChatLine)
  }

  /// The remarks that must be said now.
  private(set) var remarks: [Remark] = []
  /// The number of lines that were said but not received by everyone.
  private var unheard = 0
  private var script: ArraySlice<Remark>
  /// `true` if the second person answers the first.
  private let isInteractive: Bool
  private var isReading: Bool
  private var hasGivenUp = false

  /// Creates a conversation that plays a script, or one with the user if there is none.
  init(script: [Remark]?) {
    self.script = (script ?? [])[...]
    (isInteractive, isReading) = (script == nil, script == nil)
  }

  /// `true` if a line must still arrive.
  var isWaiting: Bool { unheard > 0 && !hasGivenUp }

  var isOver: Bool { hasGivenUp || !isReading && unheard == 0 }

  mutating func handle(_ event: Event) {
    switch event {
    case .began: remarks = nextOfScript()
    case .typed(let text): remarks = [Remark(author: DialogueScript.first, text: text)]
    case .inputEnded: (remarks, isReading) = ([], false)
    case .heard(let line):
      unheard -= 1
      remarks = isInteractive ? answers(to: line) : nextOfScript()
    }
    unheard += remarks.count
  }

  /// Returns the conversation if no more lines arrive.
  func givingUp() -> Conversation {
    var conversation = self
    (conversation.remarks, conversation.hasGivenUp) = ([], true)
    return conversation
  }

  /// Only one line is under way at a time, so that every run of the script is the same.
  private mutating func nextOfScript() -> [Remark] {
    script.popFirst().map { [$0] } ?? []
  }

  private func answers(to line: ChatLine) -> [Remark] {
    guard line.author == DialogueScript.first else { return [] }
    return [Remark(author: DialogueScript.second, text: "I have read “\(line.text)”.")]
  }
}
