/// Measures how fast bytes go, over the last seconds.
package struct Meter {
  private static let span = Duration.seconds(3)
  private var marks: [(time: ContinuousClock.Instant, count: Int64)] = []

  package init() {}

  /// Notes how many bytes there are by now.
  package mutating func note(_ count: Int64, at now: ContinuousClock.Instant) {
    // An attempt that begins anew has fewer.
    if let last = marks.last, count < last.count { marks = [] }
    marks.append((now, count))
    // One mark from before the span stays, so that the span is always measured whole.
    while marks.count > 2, now - marks[1].time >= Self.span { marks.removeFirst() }
  }

  /// The bytes per second until now; `nil` while there is too little to tell by.
  package func speed(at now: ContinuousClock.Instant) -> Double? {
    guard let first = marks.first, let last = marks.last else { return nil }
    let seconds = (now - first.time) / .seconds(1)
    guard seconds >= 0.1 else { return nil }
    return Double(last.count - first.count) / seconds
  }
}
