import ReactiveNetworkExamples

/// What the program has counted, and what the built-in server has seen.
struct Summary {
  let log: Conversation.Log
  let seen: ModelServer.Log

  var text: String {
    """
    \(log.answers.count.counted("question")), \(log.sent.counted("request")) sent (server saw \(seen.requests)), \
    \(count(.complete)) answered, \(count(.cancelled)) cancelled (server saw \(seen.abandoned) closed), \
    \(log.lost.counted("connection")) lost (server dropped \(seen.brokenOff)), \(log.refused) refused \
    (server refused \(seen.refused)); \(wrong == 0 ? "nothing lost, nothing twice" : "\(wrong) wrong")
    """
  }

  /// Returns a line for each contradiction between the program and the server.
  var disagreements: [String] {
    let counts = [
      ("requests", log.sent, seen.requests), ("cancelled", count(.cancelled), seen.abandoned),
      ("lost", log.lost, seen.brokenOff), ("refused", log.refused, seen.refused),
    ]
    return counts.filter { $1 != $2 }.map { "\($0): \($1) counted, \($2) seen by the server" }
      + (wrong == 0 ? [] : ["\(wrong.counted("answer")) differ from what the server sent"])
  }

  private func count(_ ending: Conversation.Ending) -> Int { log.answers.count { $0.ending == ending } }

  /// The number of answers that differ from those of the script.
  private var wrong: Int {
    log.answers.count { question, text, ending in
      let answer = AnswerScript.entry(for: question).answer
      return ending == .complete ? text != answer : !answer.hasPrefix(text)
    }
  }
}
