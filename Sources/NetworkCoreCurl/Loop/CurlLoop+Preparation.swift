// What a request needs before it can be sent.
extension CurlLoop {
  /// Sends a transfer's request, as soon as all that it needs has been found on other threads, and its origin
  /// admits it.
  func prepare(_ transfer: CurlTransfer) {
    do throws(TransferError) {
      switch try profiles.find(for: transfer.request) {
      case .profile(let profile): transfer.profile = profile
      case .missingPolicy(let host, let trust): return findPolicy(of: host, from: trust, for: transfer)
      }
    } catch {
      return end(transfer, with: error)
    }
    if let pool = transfer.bodyPreparation { return transfer.openBody(on: pool) }
    sendInTurn(transfer, isRetry: false)
  }

  /// Sends a transfer's request as soon as its origin admits it.
  func sendInTurn(_ transfer: CurlTransfer, isRetry: Bool) {
    // An upgraded connection carries nothing else, and would keep a place among the streams for hours.
    if transfer.request.upgradesConnection
      || origins.admitOrEnqueue(transfer, isRetry: isRetry, now: now)
    {
      send(transfer)
    } else {
      // The time limit for connecting starts now.
      active.advance(transfer)
    }
  }

  /// Sends the waiting requests that may proceed now.
  func sendWaitingTransfers() {
    if now >= origins.nextCheck { origins.advance(now: now) }
    while let transfer = origins.next(now: now) {
      if transfer.isCancelled { end(transfer, with: .cancelled) } else { send(transfer) }
    }
  }

  /// Asks for the checks of a host's certificate, once for all transfers that need them.
  private func findPolicy(of host: String, from trust: ServerTrustManager, for transfer: CurlTransfer) {
    if transfersWithoutPolicy[host]?.append(transfer) != nil { return }
    transfersWithoutPolicy[host] = TransfersWithoutPolicy(transfer)
    batch.add { [self] in post(.foundPolicy(HostPolicy(of: host, from: trust))) }
  }

  func didFind(_ policy: HostPolicy) {
    profiles.add(policy)
    for transfer in transfersWithoutPolicy.removeValue(forKey: policy.host)?.all ?? []
    where !transfer.isOver { prepare(transfer) }
  }

  /// Continues with a transfer whose body has been opened, unless it has ended.
  func didOpenBody(of transfer: CurlTransfer, _ opened: Result<RequestBodyReader, TransferError>) {
    guard !transfer.isOver else { return }
    transfer.opening = nil
    do throws(TransferError) {
      transfer.body = try opened.get()
    } catch {
      return end(transfer, with: error)
    }
    prepare(transfer)
  }
}
