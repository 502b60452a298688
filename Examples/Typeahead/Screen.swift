import ReactiveNetworkExamples
import ReactiveNetworkLock

/// The full-screen view of the interactive mode, on the terminal's alternate screen.
final class Screen: View {
  private struct State {
    var text = ""
    var outcome = SearchOutcome.cleared
    var running: String?
    var sent = 0
    var cancelled = 0
    var isOpen = false
  }

  private let host: String
  private let state = Lock(State())

  init(host: String) {
    self.host = host
  }

  func open() {
    change { $0.isOpen = true }
  }

  /// Restores the previous contents of the terminal.
  func close() {
    state.withLock { state in
      guard state.isOpen else { return }
      state.isOpen = false
      write("\u{1B}[?25h\u{1B}[?1049l")
    }
  }

  func typed(_ key: Key, _ text: String) { change { $0.text = text } }

  func requested(for query: String) {
    change {
      $0.sent += 1
      $0.running = query
    }
  }

  func cancelled(_ query: String) {
    change {
      $0.cancelled += 1
      if $0.running == query { $0.running = nil }
    }
  }

  func show(_ outcome: SearchOutcome) {
    change {
      $0.outcome = outcome
      $0.running = nil
    }
  }

  /// Changes the state and draws it; the lock also prevents two drawings at the same time.
  private func change(_ change: (inout State) -> Void) {
    state.withLock { state in
      let wasOpen = state.isOpen
      change(&state)
      guard state.isOpen else { return }
      if !wasOpen { write("\u{1B}[?1049h\u{1B}[?25l") }
      let columns = Console.size.columns
      let lines = Self.lines(state, host: host, columns: columns).map { $0.fitted(to: columns - 1) }
      write("\u{1B}[H" + lines.map { $0 + "\u{1B}[K\n" }.joined() + "\u{1B}[J")
    }
  }

  private static func lines(_ state: State, host: String, columns: Int) -> [String] {
    var lines = [
      "", "  Search \(host)", "", "  > \(state.text.suffix(columns - 8))▏", "",
      "  " + (state.running.map { "asking for \"\($0)\" …" } ?? status(state.outcome)), "",
    ]
    if case .found(let page, _) = state.outcome {
      lines += page.items.prefix(10).map { "  " + $0.line(columns: min(76, columns - 4)) }
      lines.append("")
    }
    lines.append(
      "  \(state.sent.counted("request")) sent, \(state.cancelled) cancelled · Esc quits, Ctrl-U clears")
    return lines
  }

  private static func status(_ outcome: SearchOutcome) -> String {
    switch outcome {
    case .cleared: "Type to search."
    case .found(let page, let query): "\(page.totalCount.counted("result")) for \"\(query)\""
    case .failed(let reason, let query): "! \"\(query)\": \(reason)"
    }
  }
}
