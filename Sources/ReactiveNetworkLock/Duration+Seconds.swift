extension Duration {
  /// The length in seconds.
  package var inSeconds: Double {
    let (seconds, attoseconds) = components
    // 1.14 s, as 1 + 0.14, would be 1.1400000000000001. Above, a `Double` cannot hold all nanoseconds.
    guard seconds.magnitude < 1 << 22 else { return Double(seconds) + Double(attoseconds) / 1e18 }
    return (Double(seconds) * 1e9 + Double(attoseconds) / 1e9) / 1e9
  }

  /// Returns the duration of a number of seconds, at most 10¹⁸ of them, to the nanosecond; NaN counts as 0.
  package static func inSeconds(_ seconds: Double) -> Duration {
    if seconds.isNaN { return .zero }
    // 1.3 s would be 64 attoseconds too long, and a manual clock that advances by 1,300 ms would not reach it.
    if seconds.magnitude < 0x1p22 { return .nanoseconds(Int64((seconds * 1e9).rounded())) }
    return .seconds(min(max(seconds, -1e18), 1e18))
  }
}
