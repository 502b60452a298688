internal import CNetworkCoreCurl

// Requests that are redirected or retried.
extension CurlLoop {
  /// Sends a request again, as soon as its origin admits it.
  func retry(_ transfer: CurlTransfer, _ easy: CurlEasy, _ reason: TransferOutcome.Retry) {
    if reason == .alternativeUnreachable { removeAlternativeService(of: easy, for: transfer.request.url) }
    do throws(TransferError) {
      try transfer.prepareRetry(reason)
    } catch {
      return end(transfer, with: error)
    }
    multi.remove(easy)
    recycle(easy, of: transfer)
    origins.remove(transfer, isRetry: true)
    sendInTurn(transfer, isRetry: true)
  }

  func followRedirect(_ transfer: CurlTransfer, _ easy: CurlEasy) {
    // The progress so far belongs to the original request.
    transfer.enqueueEvents()
    let next: TransportRequest
    do throws(TransferError) {
      next = try transfer.redirected()
    } catch {
      return end(transfer, with: error)
    }
    let change = redirectPolicy.change
    if change != nil { transfer.noteMetrics(easy) }
    multi.remove(easy)
    origins.remove(transfer)
    recycle(easy, of: transfer)
    guard let change, let response = transfer.reception.redirectHead else { return follow(next, transfer) }
    batch.add { [self] in
      if !transfer.isCancelled { post(.decided(transfer, proposed: next, change(next, response))) }
    }
  }

  /// Continues with a transfer about whose redirect the policy has decided, unless it has ended.
  func didDecide(_ transfer: CurlTransfer, _ proposed: TransportRequest, _ next: TransportRequest?) {
    guard !transfer.isOver else { return }
    do throws(TransferError) {
      guard var next else {
        try transfer.keepRedirect()
        return end(transfer, with: transfer.completionError)
      }
      if let error = next.normalizeAndValidate() { throw error }
      follow(next.withoutCredentials(of: proposed), transfer)
    } catch {
      end(transfer, with: error)
    }
  }

  private func follow(_ next: TransportRequest, _ transfer: CurlTransfer) {
    do throws(TransferError) {
      try transfer.follow(next)
    } catch {
      return end(transfer, with: error)
    }
    prepare(transfer)
  }
}
