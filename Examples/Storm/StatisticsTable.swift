import ReactiveNetworkExamples

/// The figures of all groups of clients, as lines of text.
struct StatisticsTable {
  private static let (first, column) = (42, 17)
  let groups: [(clients: ClientGroup, statistics: RunStatistics)]

  /// The figures of one second, as a line.
  static func line(_ second: Int, _ phase: RunStatistics.Phase, _ statistics: [RunStatistics]) -> String {
    let figures = statistics.map { statistics in
      let now = statistics.seconds.last
      let answered = now.map { $0.calls > 0 ? 100 * $0.answered / $0.calls : 100 } ?? 0
      return "\(now?.requests ?? 0)/s, \(min(answered, 100)) % ok".padded(to: column)
    }
    let state = phase == .outage ? "the services fail" : "the services work"
    return "\(second) s".padded(to: 6) + state.padded(to: first - 6) + figures.joined().trimmed + "\n"
  }

  /// The names of the groups, after a title for the rows.
  static func heading(_ title: String, _ groups: [ClientGroup]) -> String {
    line(title, groups.map(\.protection.title))
  }

  var text: String {
    let phases = RunStatistics.Phase.allCases
    let rows =
      phases.map { phase in row("requests a second \(phase.title)") { "\($0.mean(\.requests, in: phase))" } }
      + phases.map { phase in
        row("calls answered a second \(phase.title)") { "\($0.mean(\.answered, in: phase))" }
      }
      + [
        row("half of the calls answered within") { $0.latency(percentile: 50)?.inMilliseconds ?? "-" },
        row("99 % of the calls answered within") { $0.latency(percentile: 99)?.inMilliseconds ?? "-" },
        row("calls in all") { "\($0.sum(\.calls))" },
        row("stale answers while revalidating") { "\($0.sum(\.staleWhileRevalidate))" },
        row("stale answers in place of an error") { "\($0.sum(\.staleIfError))" },
        row("requests in all") { "\($0.sum(\.requests))" },
        row("requests whose client had left") { "\($0.sum(\.abandoned))" },
        row("calls refused by the breaker") { "\($0.sum(\.refused))" },
        row("calls shed by the limit") { "\($0.sum(\.shed))" },
      ]
    return Self.heading("", groups.map(\.clients)) + rows.joined()
  }

  private func row(_ title: String, _ figure: (RunStatistics) -> String) -> String {
    Self.line(title, groups.map { figure($0.statistics) })
  }

  /// A title and figures, as a line.
  static func line(_ title: String, _ figures: [String]) -> String {
    title.padded(to: first) + figures.map { $0.padded(to: column) }.joined().trimmed + "\n"
  }
}

extension Duration {
  var inMilliseconds: String { "\(Int(self / .milliseconds(1))) ms" }
}

extension String {
  /// The text without spaces at its end.
  fileprivate var trimmed: String { String(reversed().drop { $0 == " " }.reversed()) }
}
