internal import CNetworkCoreCurl

/// The transfers whose response has arrived while their body may still be in transit.
///
/// Over HTTP/2, libcurl (7.88) does not notice that a response has ended before the body was sent. It waits
/// for a server that sends nothing more, so it must be made to check again. A server may also stop reading
/// the body without reporting it, as nginx does. Once the whole response has arrived, the transfer waits for
/// the server no longer than `CurlTransport.earlyResponseLimit`. Without this, the tests of early responses
/// do not pass with 7.88, 8.12, 8.16 or 8.23.
struct EarlyResponses {
  private var noted: [CurlTransfer] = []

  var isEmpty: Bool { noted.isEmpty }

  /// Notes a transfer, until `take()`.
  mutating func note(_ transfer: CurlTransfer) {
    guard !transfer.isInEarlyResponses else { return }
    transfer.isInEarlyResponses = true
    noted.append(transfer)
  }

  /// Returns the transfers that have been noted since the last call.
  mutating func take() -> [CurlTransfer] {
    guard !noted.isEmpty else { return [] }
    defer { noted = [] }
    for transfer in noted { transfer.isInEarlyResponses = false }
    return noted
  }
}

extension CurlTransfer {
  /// Whether a failure concerns only the sending of a body to which the server has already responded: the
  /// response is complete in spite of it (RFC 9113, section 8.1).
  func isResponseComplete(despite code: Int) -> Bool {
    switch code {
    case CCURLE_SEND_ERROR, CCURLE_RECV_ERROR, CCURLE_HTTP2, CCURLE_HTTP2_STREAM, CCURLE_PARTIAL_FILE:
      body != nil && failure == nil && hasWholeResponse
    default: false
    }
  }

  /// Notes whether the whole response has arrived for a transfer that is still in progress; returns `true` only
  /// the first time.
  fileprivate func noteWholeResponse() -> Bool {
    guard !upload.outlastsResponse, hasWholeResponse else { return false }
    upload.outlastsResponse = true
    noteAcknowledgements()
    return true
  }

  /// Whether a whole response has arrived, and libcurl sends no other request because of it.
  ///
  /// It does so because of a challenge. A redirect counts: another transfer follows it.
  var hasWholeResponse: Bool {
    // libcurl's count includes the data that it holds back.
    guard reception.head.isClosed, !reception.head.isProvisional, !pauses.isReceivingPaused, let easy,
      let length = reception.head.bodyLength
    else { return false }
    return easy.offset(CCURLINFO_SIZE_DOWNLOAD_T) >= length
  }

  /// Whether the server has closed a connection that has switched protocols, while nothing waits to be sent or
  /// the connection takes no more.
  ///
  /// libcurl (7.88) reads the end, and continues to wait for bytes, or for the server to read them.
  fileprivate var isLeftByServer: Bool {
    guard request.upgradesConnection, !pauses.isReceivingPaused, !upload.isOver else { return false }
    // A connection to a Unix domain socket has no endpoints, and so remains among the opened ones.
    guard let connection = easy?.connection ?? easy?.sockets?.opened.last, connection.isAtEnd else {
      return false
    }
    return pauses.isSendingPaused || !connection.takesBytes
  }

  /// Checks whether the server acknowledges the sent data; the system may still buffer much of it after
  /// libcurl has sent everything.
  func noteAcknowledgements() {
    guard upload.outlastsResponse, let count = easy?.acknowledged, count > upload.acknowledged.count else {
      return
    }
    upload.acknowledged = (count, loop.now)
  }
}

extension CurlLoop {
  /// Makes libcurl check the early responses again, and ends the transfers whose response is complete.
  ///
  /// A transfer may send the end of its body during a check, which only the next check can see. It stays noted, and
  /// the loop polls instead of waiting, until it sends nothing during a check.
  func checkEarlyResponses() {
    // The first pass may also make progress with transfers of the same connection that it does not check.
    for _ in 0..<2 {
      let checked = earlyResponses.take()
      guard !checked.isEmpty else { return }
      for transfer in checked {
        transfer.upload.sentAtCheck = transfer.upload.sent
        guard transfer.isLeftByServer else { continue }
        transfer.upload.isOver = true
        if !transfer.pauses.isSendingPaused {
          abort(transfer, with: nil)
        } else if let error = transfer.unpause() {
          abort(transfer, with: error)
        }
      }
      for transfer in checked where !transfer.pauses.isReceivingPaused && !transfer.pauses.isSendingPaused {
        guard transfer.reception.isMultiplexed, let easy = transfer.easy else { continue }
        easy.sendBufferedFrames()
        // One call for each: of several transfers on a connection, libcurl would check only the first.
        multi.processTimeout(now: now)
      }
      endFinishedTransfers()
      for transfer in checked where transfer.noteWholeResponse() { active.advance(transfer) }
    }
    for transfer in earlyResponses.take() where transfer.easy != nil {
      if transfer.upload.sent != transfer.upload.sentAtCheck { earlyResponses.note(transfer) }
    }
  }
}
