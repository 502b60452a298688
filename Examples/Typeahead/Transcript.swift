import ReactiveNetworkExamples
import Foundation
import ReactiveNetworkLock

/// Shows each event as a line with its time.
final class Transcript: View {
  /// The number of results to list.
  private static let listed = 3

  private let start = Date()
  /// Prevents threads from mixing their lines.
  private let output = Lock(())

  func begin(_ host: String) {
    write(
      """
      Searching \(host)

        time  key  text        what happens
      ──────  ───  ──────────  ─────────────────────────────────────────────────────

      """)
  }

  func typed(_ key: Key, _ text: String) {
    line(key.label.padded(to: 3), (text + "▏").padded(to: 10))
  }

  func requested(for query: String) {
    happened("→ asked for \"\(query)\"")
  }

  func cancelled(_ query: String) {
    happened("✗ cancelled \"\(query)\"")
  }

  func show(_ outcome: SearchOutcome) {
    switch outcome {
    case .cleared: happened("nothing to search for")
    case .failed(let reason, let query): happened("! \"\(query)\": \(reason)")
    case .found(let page, let query):
      let left = page.totalCount - min(page.items.count, Self.listed)
      happened(
        ["← \(page.totalCount.counted("result")) for \"\(query)\""]
          + page.items.prefix(Self.listed).map { "  " + $0.line(columns: 51) }
          + (left > 0 ? ["  and \(left) more"] : []))
    }
  }

  private func happened(_ line: String) { happened([line]) }

  private func happened(_ lines: [String]) {
    for (index, text) in lines.enumerated() {
      line("   ", "          ", text, showsTime: index == 0)
    }
  }

  private func line(_ key: String, _ text: String, _ event: String = "", showsTime: Bool = true) {
    output.withLock { _ in
      let time = showsTime ? String(format: "%6.3f", Date().timeIntervalSince(start)) : "      "
      let columns = [time, key, text, event.fitted(to: 80)].joined(separator: "  ")
      write(columns.replacing(/\ +$/, with: "") + "\n")
    }
  }
}
