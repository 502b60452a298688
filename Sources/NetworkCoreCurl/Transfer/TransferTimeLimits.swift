/// The time limits of a transfer, and which of them expires first.
///
/// A deadline only ever becomes later, as `DeadlineHeap` requires: traffic postpones the idle limit, and the
/// first byte of a response ends the wait for it, also for the targets of redirects.
struct TransferTimeLimits {
  let idle: Duration
  let timeouts: CurlConfiguration.Timeouts
  let start: UInt64

  /// Returns the limit that expires first, and its time in nanoseconds of the loop's clock.
  ///
  /// - Parameters:
  ///   - lastActivity: the time when bytes were last sent or received.
  ///   - hasFirstByte: whether a byte of a response has arrived.
  ///   - connectingSince: the time when the transfer began to wait for a connection; `nil` if it has one, or
  ///     libcurl measures that time.
  /// - Returns: the limit and the time.
  func next(
    lastActivity: UInt64, hasFirstByte: Bool, connectingSince: UInt64? = nil
  ) -> (limit: TransferTimeout, time: UInt64) {
    var next = (limit: TransferTimeout.idle, time: Self.time(idle, after: lastActivity))
    if let connectingSince {
      let connect = Self.time(timeouts.connect, after: connectingSince)
      if connect < next.time { next = (.connect, connect) }
    }
    let total = Self.time(timeouts.total, after: start)
    if total < next.time { next = (.total, total) }
    if !hasFirstByte {
      let firstByte = Self.time(timeouts.firstByte, after: start)
      if firstByte < next.time { next = (.firstByte, firstByte) }
    }
    return next
  }

  /// Returns the length of a limit.
  func length(of limit: TransferTimeout) -> Duration {
    switch limit {
    case .connect: timeouts.connect
    case .firstByte: timeouts.firstByte ?? .zero
    case .idle: idle
    case .total: timeouts.total ?? .zero
    }
  }

  private static func time(_ length: Duration?, after start: UInt64) -> UInt64 {
    guard let length, length > .zero, length < .seconds(1_000_000_000) else { return .max }
    return start + UInt64(length / .nanoseconds(1))
  }
}
