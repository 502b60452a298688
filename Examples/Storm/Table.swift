import ReactiveNetworkExamples

/// The figures of all groups of clients, as lines of text.
struct Table {
  private static let (first, column) = (42, 18)
  let groups: [(clients: Clients, record: Record)]

  /// The figures of one second, as a line.
  static func line(_ second: Int, _ part: Record.Part, _ records: [Record]) -> String {
    let figures = records.map { record in
      let now = record.seconds.last
      let answered = now.map { $0.calls > 0 ? 100 * $0.answered / $0.calls : 100 } ?? 0
      return "\(now?.requests ?? 0)/s, \(min(answered, 100)) % ok".padded(to: column)
    }
    let state = part == .outage ? "the services fail" : "the services work"
    return "\(second) s".padded(to: 6) + state.padded(to: first - 6) + figures.joined().trimmed + "\n"
  }

  /// The names of the groups, after a title for the rows.
  static func heading(_ title: String, _ groups: [Clients]) -> String {
    title.padded(to: first) + groups.map { $0.means.title.padded(to: column) }.joined().trimmed + "\n"
  }

  var text: String {
    let parts = Record.Part.allCases
    let rows =
      parts.map { part in row("requests a second \(part.title)") { "\($0.mean(\.requests, in: part))" } }
      + parts.map { part in
        row("calls answered a second \(part.title)") { "\($0.mean(\.answered, in: part))" }
      }
      + [
        row("half of the calls answered within") { $0.latency(percentile: 50)?.inMilliseconds ?? "-" },
        row("99 % of the calls answered within") { $0.latency(percentile: 99)?.inMilliseconds ?? "-" },
        row("requests in all") { "\($0.sum(\.requests))" },
        row("requests whose client had left") { "\($0.sum(\.abandoned))" },
        row("calls refused by the breaker") { "\($0.sum(\.refused))" },
        row("calls shed by the limit") { "\($0.sum(\.shed))" },
      ]
    return Self.heading("", groups.map(\.clients)) + rows.joined()
  }

  private func row(_ title: String, _ figure: (Record) -> String) -> String {
    title.padded(to: Self.first) + groups.map { figure($0.record).padded(to: Self.column) }.joined().trimmed
      + "\n"
  }
}

extension Duration {
  fileprivate var inMilliseconds: String { "\(Int(self / .milliseconds(1))) ms" }
}

extension String {
  /// The text without spaces at its end.
  fileprivate var trimmed: String { String(reversed().drop { $0 == " " }.reversed()) }
}
