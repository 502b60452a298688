internal import CNetworkCoreCurl

// The time limits of a transfer.
extension CurlTransfer {
  /// Starts the clocks of the transfer.
  func begin(now: UInt64) {
    lastActivity = now
    hasFirstByte = request.firstStart != nil
    limits = TransferTimeLimits(
      idle: request.idleTimeout, timeouts: loop.timeouts, start: request.firstStart ?? now)
  }

  private var nextLimit: (limit: TransferTimeout, time: UInt64) {
    // A transfer that is held back for a slow receiver is not idle.
    let lastActivity = pauses.isReceivingPaused ? loop.now : lastActivity
    let next = limits.next(
      lastActivity: lastActivity, hasFirstByte: hasFirstByte, connectingSince: queuePosition.start)
    guard upload.outlastsResponse else { return next }
    // A transfer that waits for its own body continues to send, because the server may still accept it.
    let end =
      (pauses.isSendingPaused ? loop.now : max(lastActivity, upload.acknowledged.time))
      + CurlTransport.earlyResponseLimit
    return end < next.time ? (.idle, end) : next
  }

  /// The time at which the transfer exceeds a limit, in nanoseconds of the loop's clock.
  var deadline: UInt64 { nextLimit.time }

  /// Notes what the transfer has done since the last check, and returns the limit that it has exceeded, if
  /// there is one.
  func checkLimits(now: UInt64) -> TransferTimeout? {
    noteAcknowledgements()
    let next = nextLimit
    guard next.time <= now, next.limit != .idle || !noteUnseenActivity() else { return nil }
    return next.limit
  }

  /// Whether bytes have arrived that no callback has reported, such as those of a compressed body that do not
  /// yet decode to anything.
  private func noteUnseenActivity() -> Bool {
    guard let downloaded = easy?.offset(CCURLINFO_SIZE_DOWNLOAD_T),
      downloaded > reception.downloadedAtLastCheck
    else {
      return false
    }
    reception.downloadedAtLastCheck = downloaded
    lastActivity = loop.now
    return true
  }
}
