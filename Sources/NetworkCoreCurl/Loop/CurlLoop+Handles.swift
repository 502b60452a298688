internal import CNetworkCoreCurl

// Transfers with a handle: those that libcurl handles.
extension CurlLoop {
  func send(_ transfer: CurlTransfer) {
    guard let easy = handles.take() else {
      let reason = "no memory for another transfer"
      return end(transfer, with: .other(code: CCURLE_OUT_OF_MEMORY, reason: reason))
    }
    easy.transfer = transfer
    transfer.easy = easy
    do throws(TransferError) {
      // Copied once, because each copy retains all of its parts.
      let request = transfer.request
      guard let profile = transfer.profile else {
        throw .other(code: CCURLE_FAILED_INIT, reason: "the options for its host are unknown")
      }
      try easy.apply(profile, for: request.url)
      let content = request.content
      if content != .none { try transfer.openBody(of: request) }
      easy.prepare(
        request, content, length: transfer.body?.length, isNewConnection: transfer.retries.needsNewConnection,
        waitsForHandshake: !transfer.queuePosition.opensConnection,
        alternative: request.upgradesConnection
          ? nil : alternativeServices?.service(for: request.url, now: now),
        cookies: profiles.cookies(for: request))
      let code = multi.add(easy)
      if code != 0 { throw .other(code: Int(code), reason: "libcurl refused the transfer") }
    } catch {
      detach(transfer, easy)
      transfer.finish(error)
    }
  }

  /// Removes a transfer from libcurl, if it is there, and ends it, unless it has ended before.
  func end(_ transfer: CurlTransfer, with error: TransferError?) {
    removeFromLibcurl(transfer)
    transfer.finish(error)
  }

  func removeFromLibcurl(_ transfer: CurlTransfer) {
    guard let easy = transfer.easy else { return removeFromQueues(transfer) }
    transfer.noteMetrics(easy)
    multi.remove(easy)
    detach(transfer, easy)
  }

  /// Removes a transfer that libcurl does not handle.
  private func removeFromQueues(_ transfer: CurlTransfer) {
    transfer.cancelOpening()
    active.remove(transfer)
    origins.remove(transfer)
  }

  /// Ends a transfer before it is complete.
  func abort(_ transfer: CurlTransfer, with error: TransferError?) {
    guard let easy = transfer.easy else { return end(transfer, with: error) }
    transfer.noteMetrics(easy)
    if let connection = easy.sharedConnection, !connection.mustFlush {
      connection.mustFlush = true
      connectionsToFlush.append(connection)
    }
    multi.abort(easy)
    detach(transfer, easy)
    transfer.finish(error)
  }

  /// Makes libcurl send the resets of cancelled streams, once for each connection.
  func sendBufferedResets() {
    guard !connectionsToFlush.isEmpty else { return }
    for connection in connectionsToFlush {
      connection.mustFlush = false
      connection.runningTransfer?.easy?.sendBufferedFrames()
    }
    connectionsToFlush.removeAll(keepingCapacity: true)
  }

  private func detach(_ transfer: CurlTransfer, _ easy: CurlEasy) {
    removeFromQueues(transfer)
    recycle(easy, of: transfer)
  }

  func recycle(_ easy: CurlEasy, of transfer: CurlTransfer) {
    easy.transfer = nil
    transfer.easy = nil
    transfer.leaveConnection()
    handles.add(easy)
  }
}
