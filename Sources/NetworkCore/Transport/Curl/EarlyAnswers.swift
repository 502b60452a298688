internal import CCurl

/// The transfers whose answer has come while their body may still be on its way.
///
/// Over HTTP/2 libcurl (7.88) does not see that an answer is over which came before the end of the body was sent, and waits for a
/// server that has said all it has to say: it is told to look again. A server may also take no more of the body and say nothing of
/// that, as nginx does: once all of the answer is there, the transfer waits for that no longer than
/// `CurlTransport.answeredLimit`.
struct EarlyAnswers {
  private var noted: [CurlTransfer] = []

  /// Takes note of a transfer, until `take()`.
  mutating func note(_ transfer: CurlTransfer) {
    guard !transfer.isEarly else { return }
    transfer.isEarly = true
    noted.append(transfer)
  }

  /// The transfers that have been noted since the last call.
  mutating func take() -> [CurlTransfer] {
    guard !noted.isEmpty else { return [] }
    defer { noted = [] }
    for transfer in noted { transfer.isEarly = false }
    return noted
  }
}

extension CurlTransfer {
  /// Whether a failure is one of sending what the server has answered already: that the answer is whole does not change
  /// by it (RFC 9113, section 8.1).
  func isAnswered(despite code: Int) -> Bool {
    switch code {
    case CCURLE_SEND_ERROR, CCURLE_RECV_ERROR, CCURLE_HTTP2, CCURLE_HTTP2_STREAM, CCURLE_PARTIAL_FILE:
      body != nil && failure == nil && hasWholeAnswer
    default: false
    }
  }

  /// Whether all of the answer is there, seen for the first time, of a transfer that is still on the wire.
  fileprivate func seesWholeAnswer() -> Bool {
    guard !isAnswered, hasWholeAnswer else { return false }
    isAnswered = true
    noteAcknowledgements()
    return true
  }

  /// Whether all of an answer has come that asks for no further request.
  var hasWholeAnswer: Bool {
    // What libcurl holds back, it has counted.
    guard head.isClosed, !head.isProvisional, !head.isRedirect, !isReceivingPaused, let easy,
      let length = head.bodyLength
    else { return false }
    return easy.offset(CCURLINFO_SIZE_DOWNLOAD_T) >= length
  }

  /// Looks whether the server takes what was sent, of which the system may have much yet when libcurl has sent all.
  func noteAcknowledgements() {
    guard isAnswered, let count = easy?.acknowledged, count > acknowledged.count else { return }
    acknowledged = (count, loop.now)
  }
}

extension CurlLoop {
  /// Has libcurl look again at answers that have come early, and ends those that have.
  func lookAgain() {
    // What the first look sends, only the second one can see the end of.
    for _ in 0..<2 {
      let looking = early.take()
      guard !looking.isEmpty else { return }
      for transfer in looking where !transfer.isReceivingPaused && !transfer.isSendingPaused {
        guard transfer.isMultiplexed, let easy = transfer.easy else { continue }
        easy.flushConnection()
        // One by one: of several on a connection libcurl would look at the first alone.
        multi.serveTimeout(now: now)
      }
      endFinishedTransfers()
      for transfer in looking where transfer.seesWholeAnswer() { advanceDeadline(of: transfer) }
    }
    _ = early.take()
  }
}
