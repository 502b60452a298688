internal import ReactiveNetworkLock

extension CurlLoop {
  /// Does what other threads have asked for.
  func executeCommands() {
    while let command = commands.popFirst() {
      switch command {
      case .start(let transfer, let refusal): start(transfer, refusal)
      case .cancel(let transfer): abort(transfer, with: .cancelled)
      case .opened(let transfer, let body): didOpenBody(of: transfer, body.result)
      case .foundPolicy(let policy): didFind(policy)
      case .resume(let transfer):
        transfer.takeResume()
        // libcurl refuses to resume a transfer that it has just ended, and that refusal must not be the result.
        endFinishedTransfers()
        if let error = transfer.unpause() { abort(transfer, with: error) }
      case .measure(let reader): reader.report(measure())
      case .shutDown: isShuttingDown = true
      }
    }
  }

  private func start(_ transfer: CurlTransfer, _ refusal: TransferError?) {
    isChained = transfer.isChained
    guard refusal == nil, !transfer.isCancelled else { return transfer.finish(refusal) }
    transfer.begin(now: now)
    active.insert(transfer)
    // The time may have passed while a redirect was decided about.
    if transfer.deadline <= now { return endExpiredTransfers() }
    prepare(transfer)
  }

  /// Ends all transfers and closes what they used.
  func shutDown() {
    let left = inbox.close()
    var ended: [CurlTransfer] = []
    while let transfer = active.transfers.last {
      removeFromLibcurl(transfer)
      ended.append(transfer)
    }
    for case .start(let transfer, _) in left.elements { ended.append(transfer) }
    handles.removeAll()
    // Each transfer references the loop: events of the last iteration would keep both alive forever.
    batch.removeTransfers()
    transfersWithoutPolicy = [:]
    _ = earlyResponses.take()
    multi.close()
    profiles.close()
    // Last, so that the cookie file is complete when the handlers run.
    for transfer in ended { transfer.finish(.cancelled) }
    batch.deliver()
  }
}
