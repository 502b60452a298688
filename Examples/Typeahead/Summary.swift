import ReactiveNetworkExamples
import LoopbackServer

/// The pipeline's own counts and those of the server.
struct Summary {
  let counts: EventCounts
  /// The log of the built-in server; `nil` if another server was used.
  let log: LoopbackServer.Log?

  var text: String {
    var parts = [
      counts.keystrokes.counted("keystroke"), "\(counts.sent.counted("request")) sent",
      "\(counts.cancelled) cancelled"
        + (log.map { " (server saw \($0.closedBeforeAnswer) closed before the response)" } ?? ""),
      "\(counts.answered) answered",
    ]
    if counts.failed > 0 { parts.append("\(counts.failed) failed") }
    parts.append(counts.last.map { "\(counts.renderedLast) rendered last: \($0)" } ?? "nothing rendered")
    return parts.joined(separator: ", ")
  }

  /// Returns the contradictions between the counts.
  ///
  /// - Parameter isExact: `true` if every cancellation came well before the response. A user at the keyboard
  ///   may type while a response is in transit; then the server has answered and the pipeline has cancelled,
  ///   and both are right.
  /// - Returns: A line for each contradiction.
  func disagreements(isExact: Bool) -> [String] {
    var found: [String] = []
    if !counts.allRequestsEnded {
      found.append("\(counts.sent) sent, but \(counts.cancelled + counts.answered + counts.failed) ended")
    }
    if counts.rendered > counts.answered + counts.failed {
      found.append("\(counts.rendered) rendered of \(counts.answered) answered and \(counts.failed) failed")
    }
    guard let log else { return found }
    if log.pending > 0 { found.append("the server still has \(log.pending.counted("request")) to answer") }
    if isExact {
      check(log.requestCount, counts.sent, "requests", &found)
      check(log.closedBeforeAnswer, counts.cancelled, "cancelled", &found)
      check(log.answered, counts.answered, "answered", &found)
      check(counts.answered + counts.failed, counts.rendered, "rendered", &found)
      check(min(counts.sent, 1), counts.renderedLast, "rendered last", &found)
    } else if log.requestCount > counts.sent || log.answered < counts.answered {
      found.append("the server saw \(log.requestCount.counted("request")) and answered \(log.answered)")
    }
    return found
  }

  private func check(_ seen: Int, _ counted: Int, _ what: String, _ found: inout [String]) {
    if seen != counted { found.append("\(what): \(seen) seen, \(counted) counted by the pipeline") }
  }
}

extension LoopbackServer.Log {
  /// The number of connections that the peer closed while their request waited for the response.
  fileprivate var closedBeforeAnswer: Int { abandoned.count { $0.phase == .waiting } }
}
