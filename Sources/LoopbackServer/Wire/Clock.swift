#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Nanoseconds of a clock that nobody sets.
func monotonicNow() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Does nothing for so long.
func pause(nanoseconds: UInt64) {
  poll(nil, 0, milliseconds(nanoseconds))
}

/// What `poll` takes for a span of time: rounded up, so that nobody wakes early and spins.
func milliseconds(_ nanoseconds: UInt64) -> Int32 {
  Int32(min(nanoseconds / 1_000_000 + (nanoseconds % 1_000_000 == 0 ? 0 : 1), 1_000_000))
}

extension UInt64 {
  /// This moment put off; a negative duration counts as none, and one without end ends at `max`.
  func adding(_ duration: Duration) -> UInt64 {
    let (seconds, attoseconds) = duration.components
    guard seconds >= 0, attoseconds >= 0 else { return self }
    let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (nanoseconds, overflow2) = whole.addingReportingOverflow(UInt64(attoseconds) / 1_000_000_000)
    let (sum, overflow3) = addingReportingOverflow(nanoseconds)
    return overflow || overflow2 || overflow3 ? .max : sum
  }
}
