#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Returns the nanoseconds of a clock that cannot be set.
func monotonicNow() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Blocks the calling thread for a span of time.
func pause(nanoseconds: UInt64) {
  poll(nil, 0, milliseconds(nanoseconds))
}

/// Converts a span of time for `poll`; rounds up, so that a thread does not wake early and spin.
func milliseconds(_ nanoseconds: UInt64) -> Int32 {
  Int32(min(nanoseconds / 1_000_000 + (nanoseconds % 1_000_000 == 0 ? 0 : 1), 1_000_000))
}

extension UInt64 {
  /// Returns this time plus a duration; a negative duration counts as zero, and an overflow yields `max`.
  func adding(_ duration: Duration) -> UInt64 {
    let (seconds, attoseconds) = duration.components
    guard seconds >= 0, attoseconds >= 0 else { return self }
    let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (nanoseconds, overflow2) = whole.addingReportingOverflow(UInt64(attoseconds) / 1_000_000_000)
    let (sum, overflow3) = addingReportingOverflow(nanoseconds)
    return overflow || overflow2 || overflow3 ? .max : sum
  }
}
