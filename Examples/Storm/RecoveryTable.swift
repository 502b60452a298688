/// The figures of the clients that wait for a service, without and with bounds, as lines of text.
struct RecoveryTable {
  let tokens: [TokenClients]
  let events: [EventClients]

  var text: String {
    let rows: [(title: String, figures: [String])] = [
      ("", ["without bounds", "with bounds"]),
      ("refreshes of the token", tokens.map { "\($0.refreshes)" }),
      ("calls answered after a refresh hung", tokens.map { "\($0.counts.recovered)" }),
      ("calls that still wait for it", tokens.map { "\($0.counts.waiting)" }),
      ("event clients back, of \(EventClients.count)", events.map { "\($0.waits.count)" }),
      ("their shortest and longest wait", events.map { Self.range(of: $0.waits) }),
    ]
    return rows.map { StatisticsTable.line($0.title, $0.figures) }.joined()
  }

  private static func range(of waits: [Duration]) -> String {
    guard let first = waits.first, let last = waits.last else { return "-" }
    return "\(first.inMilliseconds), \(last.inMilliseconds)"
  }
}
