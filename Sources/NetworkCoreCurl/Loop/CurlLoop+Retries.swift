internal import CNetworkCoreCurl

// Requests that are redirected or retried.
extension CurlLoop {
  /// Retries a request that libcurl was not allowed to send over a connection; see `CurlTransfer.beginAttempt`.
  func retry(_ transfer: CurlTransfer, _ easy: CurlEasy, _ code: Int) -> Bool {
    do throws(TransferError) {
      if try !fallBackToOrigin(transfer, easy, code) {
        guard try transfer.prepareRetry(after: code) else { return false }
      }
    } catch {
      end(transfer, with: error)
      return true
    }
    multi.remove(easy)
    origins.noteRetry(transfer)
    guard easy.mustNotBeReused else {
      send(transfer, easy)
      return true
    }
    recycle(easy, of: transfer)
    send(transfer)
    return true
  }

  func followRedirect(_ transfer: CurlTransfer, _ easy: CurlEasy) {
    // The progress so far belongs to the original request.
    transfer.enqueueEvents()
    let location = easy.redirectURL ?? ""
    do throws(TransferError) {
      guard try transfer.followRedirect(to: location) else {
        return end(transfer, with: transfer.completionError)
      }
    } catch {
      return end(transfer, with: error)
    }
    multi.remove(easy)
    origins.remove(transfer)
    let isAdmitted = !transfer.isFileClosed && origins.admitOrEnqueue(transfer, now: now)
    if isAdmitted, !easy.mustNotBeReused { return send(transfer, easy) }
    recycle(easy, of: transfer)
    if isAdmitted { return send(transfer) }
    if transfer.isFileClosed { return transfer.openFile() }
    // The time limit for connecting starts now.
    advanceDeadline(of: transfer)
  }
}
