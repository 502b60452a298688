/// Measures the speed of a transfer over the last seconds.
package struct SpeedMeter {
  private static let span = Duration.seconds(3)
  private var samples: [(time: ContinuousClock.Instant, count: Int64)] = []

  package init() {}

  /// Records the number of bytes transferred so far.
  package mutating func record(_ count: Int64, at now: ContinuousClock.Instant) {
    // A new attempt starts with fewer bytes.
    if let last = samples.last, count < last.count { samples = [] }
    samples.append((now, count))
    // Keep one sample from before the span, so that the measurement always covers the whole span.
    while samples.count > 2, now - samples[1].time >= Self.span { samples.removeFirst() }
  }

  /// Returns the bytes per second until now; `nil` if there are too few measurements.
  package func speed(at now: ContinuousClock.Instant) -> Double? {
    guard let first = samples.first, let last = samples.last else { return nil }
    let seconds = (now - first.time) / .seconds(1)
    guard seconds >= 0.1 else { return nil }
    return Double(last.count - first.count) / seconds
  }
}
