internal import CNetworkCoreCurl

// Requests that are retried.
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
}
