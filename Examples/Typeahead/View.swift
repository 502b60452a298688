import Foundation

/// Where the program shows what happens; called from several threads.
protocol View: Sendable {
  func typed(_ key: Key, _ text: String)
  func asked(for query: String)
  /// How a request ended; what is shown of it follows.
  func cancelled(_ query: String)
  func answered(_ query: String)
  func failed(_ query: String)
  func show(_ outcome: Outcome)
}

extension View {
  func answered(_ query: String) {}
  func failed(_ query: String) {}
}

extension String {
  /// Cut to a number of columns, and without anything that a terminal would obey: servers send what they like.
  func fitted(to columns: Int) -> String {
    let harmless = String(
      String.UnicodeScalarView(
        unicodeScalars.map { $0.properties.generalCategory.isVisible ? $0 : "\u{FFFD}" }))
    return harmless.count <= columns ? harmless : harmless.prefix(max(0, columns - 1)) + "…"
  }

  /// Filled up with spaces to a number of columns.
  func padded(to columns: Int) -> String {
    self + String(repeating: " ", count: max(0, columns - count))
  }
}

extension Unicode.GeneralCategory {
  fileprivate var isVisible: Bool {
    switch self {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
    default: true
    }
  }
}

extension Repository {
  /// The repository as a line of a table.
  func line(columns: Int) -> String {
    let thousands = stars >= 1_000 ? String(format: "%.1fk", Double(stars) / 1_000) : "\(stars)"
    let right = "★ \(thousands)".padded(to: 9) + (language ?? "").fitted(to: 12)
    return fullName.fitted(to: columns - 24).padded(to: columns - 22) + right
  }
}

/// Writes text to standard output at once.
func write(_ text: String) {
  do {
    try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
  } catch {
    // The reader has gone, and with it the sense of going on: quit in order, as when the terminal hangs up.
    kill(getpid(), SIGHUP)
  }
}
