import ReactiveNetworkExamples
import Foundation

/// A view that shows events; called from several threads.
protocol View: Sendable {
  func typed(_ key: Key, _ text: String)
  func requested(for query: String)
  /// Reports how a request ended, as the next two methods do; unless it was cancelled, `show` follows.
  func cancelled(_ query: String)
  func answered(_ query: String)
  func failed(_ query: String)
  func show(_ outcome: SearchOutcome)
}

extension View {
  func answered(_ query: String) {}
  func failed(_ query: String) {}
}

extension Repository {
  /// Returns the repository as a line of a table.
  func line(columns: Int) -> String {
    let thousands = stars >= 1_000 ? String(format: "%.1fk", Double(stars) / 1_000) : "\(stars)"
    let right = "★ \(thousands)".padded(to: 9) + (language ?? "").fitted(to: 12)
    return fullName.fitted(to: columns - 24).padded(to: columns - 22) + right
  }
}
