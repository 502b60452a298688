/// The questions that the program asks of the built-in server, and its answers.
enum AnswerScript {
  /// What goes wrong with the first request for an answer.
  enum Fault: Sendable {
    /// The connection breaks in the middle of an event.
    case lostConnection
    /// The server is overloaded.
    case overload
    /// The answer stops arriving after a few words, until it is cancelled.
    case endless
  }

  struct Entry: Sendable {
    let question: String
    let answer: String
    var fault: Fault?
  }

  /// The number of words of an endless answer.
  static let endlessWords = 6

  static let entries = [
    Entry(
      question: "What does a cancelled answer cost?",
      answer: """
        Only what has been generated so far. Disposing the subscription closes the connection, and a server \
        that notices stops generating.
        """),
    Entry(
      question: "And if the connection breaks?",
      answer: """
        Then the beginning is on your screen already, and only the rest is asked for. A server that numbers its \
        events can go on after the last one. Another one is told what has arrived, and continues from there.
        """, fault: .lostConnection),
    Entry(
      question: "Are you ever too busy?",
      answer: """
        I was, a moment ago. You waited as long as I asked you to, and then asked again.
        """, fault: .overload),
    Entry(
      question: "Can you count to a million?",
      answer: "One, two, three, four, five, six, seven, eight, nine, ten, and so on.", fault: .endless),
  ]

  /// Returns what the built-in server knows about a question.
  static func entry(for question: String) -> Entry {
    entries.first { $0.question == question }
      ?? Entry(
        question: question,
        answer: """
          I am a list of \(entries.count) answers and not a model, so I can only repeat what you asked: \
          “\(question)” With --url, a model would answer.
          """)
  }
}
