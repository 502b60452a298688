/// Measures the speed of a transfer over the last seconds.
package struct Meter {
  private static let span = Duration.seconds(3)
  private var marks: [(time: ContinuousClock.Instant, count: Int64)] = []

  package init() {}

  /// Records the number of bytes transferred so far.
  package mutating func note(_ count: Int64, at now: ContinuousClock.Instant) {
    // A new attempt starts with fewer bytes.
    if let last = marks.last, count < last.count { marks = [] }
    marks.append((now, count))
    // Keep one mark from before the span, so that the measurement always covers the whole span.
    while marks.count > 2, now - marks[1].time >= Self.span { marks.removeFirst() }
  }

  /// Returns the bytes per second until now; `nil` if there are too few measurements.
  package func speed(at now: ContinuousClock.Instant) -> Double? {
    guard let first = marks.first, let last = marks.last else { return nil }
    let seconds = (now - first.time) / .seconds(1)
    guard seconds >= 0.1 else { return nil }
    return Double(last.count - first.count) / seconds
  }
}
