internal import CNetworkCoreCurl
internal import Synchronization

// Called by the loop.
extension CurlTransfer {
  /// Records the metrics before the handle is used for another transfer.
  func noteMetrics(_ easy: CurlEasy) {
    if request.reportsMetrics { pendingEvents.metrics = TransferMetrics(easy) }
  }

  /// Whether the head of the response has arrived completely.
  var hasHead: Bool { reception.head.isClosed }

  /// Adds the new events to `eventQueue`.
  func enqueueEvents() {
    isPending = false
    // libcurl counts bytes after it has delivered them. Bytes already noted must not count as unseen activity
    // when the limit expires.
    if let easy { reception.downloadedAtLastCheck = easy.offset(CCURLINFO_SIZE_DOWNLOAD_T) }
    let (mustDeliver, mayResume) = eventQueue.enqueue(&pendingEvents, isHolding: pauses.isHeldForDelivery)
    pauses.isHeldForDelivery = false
    if mayResume { postResume() }
    guard mustDeliver else { return }
    if deliversOnLoop { deliver() } else { loop.batch.add { self.deliver() } }
  }

  /// Ends a transfer that the loop did not accept; calls the handler on the calling thread.
  func refuse(_ error: TransferError) {
    isOver = true
    request.body = .none
    deliverEnd(.finished(isCancelled ? .cancelled : error))
  }

  /// Queues the end for delivery; after `cancel()` it is `.cancelled`, whatever the result.
  func finish(_ error: TransferError?) {
    guard !isOver else { return }
    isOver = true
    if let received = reception.challenge.take(), error == nil { pendingEvents.head = received }
    pendingEvents.end = PendingEvents.End(error: error)
    // A token that the caller keeps must not keep the body alive or files open.
    body = nil
    reception.decoder = nil
    request.body = .none
    enqueueEvents()
  }
}

// Called by the delivering thread.
extension CurlTransfer {
  /// Calls the handler with the queued events.
  func deliver() {
    while let (event, mayResume) = eventQueue.next(
      isCancelled: { isCancelled },
      isPaused: { !deliversOnLoop && paused.load(ordering: .sequentiallyConsistent) })
    {
      if mayResume { postResume() }
      guard case .finished = event else {
        handler?(event)
        continue
      }
      return deliverEnd(event)
    }
  }

  /// Calls the handler for the last time.
  private func deliverEnd(_ end: TransferEvent) {
    // Before the call, in which the handler may start the next request.
    loop.releasePlace(of: self)
    // Released before the call, so that everything that the handler holds is released with it.
    handler.take()?(end)
    loop.noteEnd()
  }
}
