internal import CNetworkCoreCurl
internal import Foundation
internal import Synchronization

// The ends of transfers in libcurl.
extension CurlLoop {
  /// Continues with the transfers that libcurl has finished with, or ends them.
  func endFinishedTransfers() {
    while let (easy, result) = multi.nextDone() {
      guard let transfer = easy.transfer else { continue }
      if result != CCURLE_OK, transfer.reception.headBytes > 0 { easy.noteFailure() }
      let code = transfer.processLastDeferredBytes(
        transfer.isResponseComplete(despite: result) ? CCURLE_OK : result)
      let isFlooded = multi.watchdog.hasEndedAny && hasFloodedConnection(easy)
      switch TransferOutcome(code: code, transfer.outcomeFacts(easy, isFlooded: isFlooded)) {
      case .flood:
        let reason = "it floods the connection with data that belongs to no response"
        end(transfer, with: .badServerResponse(reason: reason))
      case .retry(let reason): retry(transfer, easy, reason)
      case .expectationFailed: end(transfer, with: nil)
      case .truncatedHead:
        end(transfer, with: .connectionLost(reason: "it closed within the head of the response"))
      case .success: end(transfer, with: transfer.completionError)
      case .failure: end(transfer, with: TransferError(code: code, easy: easy, transfer: transfer))
      }
    }
  }

  /// Ends the transfers that have exceeded a time limit.
  func endExpiredTransfers() {
    for (transfer, timeout) in active.removeExpired(now: now) {
      let isOver = timeout == .idle && transfer.upload.outlastsResponse && !transfer.pauses.isSendingPaused
      let error = TransferError.timedOut(
        timeout, after: transfer.limits.length(of: timeout), isUnsent: transfer.isUnsent)
      abort(transfer, with: isOver ? transfer.completionError : error)
    }
  }

  /// Ends the transfers whose sockets the system cannot watch.
  func endUnwatchedTransfers() {
    while let (handle, reason) = multi.nextUnwatched() {
      guard let transfer = active.transfers.first(where: { $0.easy?.handle == handle }) else { continue }
      let words = "its socket cannot be watched: \(String(cString: strerror(reason)))"
      abort(transfer, with: .other(code: Int(reason), reason: words))
    }
  }

  /// Whether the watchdog has ended the connection of a transfer, or one that was being opened for it.
  private func hasFloodedConnection(_ easy: CurlEasy) -> Bool {
    // Until a proxy has opened a tunnel, libcurl (8.x) does not report the endpoints of the connection to it.
    let opened = easy.sockets?.opened ?? []
    return (opened + [easy.sharedConnection].compactMap { $0 }).contains {
      $0.hasFlooded.load(ordering: .relaxed)
    }
  }
}

extension CurlTransfer {
  /// The facts about the transfer, with which libcurl has finished.
  fileprivate func outcomeFacts(_ easy: CurlEasy, isFlooded: Bool) -> TransferOutcome.Facts {
    var facts = TransferOutcome.Facts()
    facts.isFlooded = isFlooded
    if isFlooded { facts.hasWholeResponse = hasWholeResponse }
    facts.usesAlternative = easy.applied.alternative != nil
    facts.hasFailure = failure != nil
    facts.attemptCount = attempt.count
    (facts.hasHeadBytes, facts.hasHead) = (reception.headBytes > 0, hasHead)
    facts.hasResponse = attempt.hasResponse
    facts.isIdempotent = request.method.isIdempotent
    facts.wasOnReusedConnection = attempt.wasOnReusedConnection
    facts.needsNewConnection = retries.needsNewConnection
    facts.changesConnection = attempt.changesConnection
    facts.isDenied = queuePosition.isDenied
    (facts.isExcludedByGoAway, facts.goAwayCount) = (isExcludedByGoAway, retries.goAwayCount)
    facts.expectationFailed = attempt.expectationFailed
    return facts
  }
}
