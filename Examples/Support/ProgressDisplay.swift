import Foundation

/// Shows the progress of several transfers: on a terminal a bar for each active transfer, and lines
/// otherwise.
package struct ProgressDisplay {
  /// The shortest time between two drawings of the bars.
  private static let minimumInterval = Duration.milliseconds(100)
  private let isTerminal: Bool
  private var rows: [ProgressRow]
  private var barCount = 0
  private var lastDrawn: ContinuousClock.Instant?
  /// The number of transfers that failed.
  package private(set) var failures = 0
  /// The text to write after the last update.
  package private(set) var text = ""

  package init(_ names: [String], isTerminal: Bool = Console.isTerminal(STDOUT_FILENO)) {
    self.isTerminal = isTerminal
    rows = names.map { ProgressRow($0) }
  }

  /// `true` if all transfers have ended.
  package var hasEnded: Bool { rows.allSatisfy(\.hasEnded) }

  /// Handles an update, or only the passing of time if `update` is `nil`.
  package mutating func handle(_ update: TransferUpdate?, at now: ContinuousClock.Instant = .now) {
    if case .failed = update?.event { failures += 1 }
    let line = update.flatMap { rows[$0.index].handle($0.event, reportsQuarters: !isTerminal, at: now) }
    text = line.map { $0 + "\n" } ?? ""
    guard isTerminal else { return }
    guard line != nil || lastDrawn.map({ now - $0 >= Self.minimumInterval }) ?? true else { return }
    let (columns, height) = Console.size
    let bars = rows.filter(\.isActive).prefix(height - 2).map { $0.bar(columns: columns - 1, at: now) }
    text = (barCount > 0 ? "\u{1B}[\(barCount)A" : "") + "\r\u{1B}[J" + text + bars.map { $0 + "\n" }.joined()
    (barCount, lastDrawn) = (bars.count, now)
  }
}

/// One transfer of a progress display.
private struct ProgressRow {
  private let name: String
  private var count: Int64 = 0
  private var total: Int64 = 0
  /// The start of this run, after the bytes that an earlier run had transferred.
  private var first: (time: ContinuousClock.Instant, count: Int64)?
  private var quarter: Int64 = 0
  private var meter = SpeedMeter()
  private(set) var hasEnded = false

  init(_ name: String) { self.name = name.fitted(to: 20) }

  var isActive: Bool { first != nil && !hasEnded }

  /// Handles an event; returns a line of output if the event calls for one.
  mutating func handle(_ event: TransferUpdate.Event, reportsQuarters: Bool, at now: ContinuousClock.Instant)
    -> String?
  {
    switch event {
    case .transferred(let count, let total):
      (self.count, self.total) = (count, total)
      if first.map({ count < $0.count }) ?? true { first = (now, count) }
      meter.record(count, at: now)
      let quarter = total > 0 ? count * 4 / total : 0
      defer { self.quarter = quarter }
      guard reportsQuarters, quarter > self.quarter, quarter < 4 else { return nil }
      return "  "
        + [name, "\(quarter * 25) % of \(total.inBytes)", speedText(at: now)].joined(separator: "  ")
    case .note(let text): return "· \(name)  \(text.fitted(to: 200))"
    case .done(let text):
      hasEnded = true
      guard let first else { return "✓ \(name)  \(text)" }
      let seconds = (now - first.time) / .seconds(1)
      let speed =
        count > first.count && seconds > 0 ? "\(Int64(Double(count - first.count) / seconds).inBytes)/s" : ""
      return "✓ " + [name, count.inBytes, speed, text].filter { !$0.isEmpty }.joined(separator: "  ")
    case .failed(let text):
      hasEnded = true
      return "✗ \(name)  \(text.fitted(to: 200))"
    }
  }

  /// Returns the transfer as a line with a given number of columns.
  func bar(columns: Int, at now: ContinuousClock.Instant) -> String {
    let width = min(40, max(8, columns - 70))
    let share = total > 0 ? min(1, Double(count) / Double(total)) : 0
    let full = Int(share * Double(width))
    let drawing = String(repeating: "━", count: full) + String(repeating: "─", count: width - full)
    let percent = total > 0 ? String(format: "%3.0f %%", (share * 100).rounded(.down)) : "  … %"
    return
      "  \(name.padded(to: 20))  \(drawing)  \(percent)  \(count.inBytes.padded(to: 8))  \(speedText(at: now))"
      .fitted(to: columns)
  }

  private func speedText(at now: ContinuousClock.Instant) -> String {
    guard let speed = meter.speed(at: now) else { return "" }
    guard speed >= 1 else { return "stalled" }
    let left = total > count ? ", \((Double(total - count) / speed).asDuration) left" : ""
    return "\(Int64(min(speed, 1e18)).inBytes)/s\(left)"
  }
}
