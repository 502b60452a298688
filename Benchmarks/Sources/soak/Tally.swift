/// The outcomes of a scenario, by kind.
struct Tally: Sendable {
  /// The outcomes with what the scenario expects: responses, failures that the server provokes, cancels.
  var complete = 0
  var failed = 0
  var cancelled = 0
  /// The failures that a disturbance may have caused, by kind.
  var disturbed: [String: Int] = [:]
  var wrong = 0

  /// The number of all outcomes.
  var count: Int { complete + failed + cancelled + disturbed.values.reduce(0, +) + wrong }

  /// Notes an expected outcome.
  mutating func add(_ outcome: Outcome) {
    switch outcome {
    case .noEvent: cancelled += 1
    case .failure: if outcome.failureKind == "cancelled" { cancelled += 1 } else { failed += 1 }
    default: complete += 1
    }
  }

  static func += (left: inout Tally, right: Tally) {
    left.complete += right.complete
    left.failed += right.failed
    left.cancelled += right.cancelled
    left.disturbed.merge(right.disturbed, uniquingKeysWith: +)
    left.wrong += right.wrong
  }
}

/// Returns the tallies beside the server's counts, as a table with the sums in its last line.
func table(_ tallies: [String: Tally], _ report: ServerReport) -> String {
  func row(_ name: String, _ tally: Tally, _ requests: Int) -> String {
    let numbers = [
      tally.count, tally.complete, tally.failed, tally.cancelled, tally.disturbed.values.reduce(0, +),
      tally.wrong, requests,
    ]
    return row(name, numbers.map(String.init))
  }
  func row(_ name: String, _ columns: [String]) -> String {
    name.padded(to: 34) + columns.map { $0.padded(to: 11, left: true) }.joined()
  }
  var all = Tally()
  var lines = [
    row("scenario", ["outcomes", "complete", "failed", "cancelled", "disturbed", "wrong", "at server"])
  ]
  for (name, tally) in tallies.sorted(by: { $0.key < $1.key }) {
    lines.append(row(name, tally, report.requests[name] ?? 0))
    all += tally
  }
  lines.append(row("all", all, report.requests.values.reduce(0, +)))
  lines.append("")
  lines.append("failures that a disturbance may have caused:")
  for (kind, count) in all.disturbed.sorted(by: { $0.value > $1.value }) {
    lines.append("  \(String(count).padded(to: 9, left: true))  \(kind)")
  }
  return lines.joined(separator: "\n")
}

extension String {
  func padded(to width: Int, left: Bool = false) -> String {
    let blanks = String(repeating: " ", count: max(0, width - count))
    return left ? blanks + self : self + blanks
  }
}
