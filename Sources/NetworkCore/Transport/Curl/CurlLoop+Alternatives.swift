internal import CCurl

// Requests to services that origins have advertised.
extension CurlTransfer {
  /// Keeps a line of a head that advertises services; several of them are one list (RFC 9110, section 5.3).
  func noteAlternatives(_ line: UnsafeRawBufferPointer) {
    guard loop.alternatives != nil, !head.isClosed || head.isProvisional, line.hasLowercasedPrefix("alt-svc:")
    else { return }
    let value = String(decoding: line.dropFirst(8), as: UTF8.self)
    advertised = advertised.map { "\($0), \(value)" } ?? value
  }

  /// Uses from now on what a head with `status` has advertised.
  ///
  /// A 421 advertises nothing (RFC 7838, section 6): it says that the server is the wrong one.
  func useAlternatives(ofHeadWith status: Int) {
    guard let value = advertised.take(), status != 421 else { return }
    loop.alternatives?.note(value[...], from: request.url, now: loop.now)
  }
}

extension CurlLoop {
  /// Sends no more requests to the service that a handle's request has gone to, if it has gone to one.
  func forgetAlternative(of easy: CurlEasy, for url: String) {
    guard let service = easy.alternative else { return }
    alternatives?.noteFailure(of: service, for: url, now: now)
  }

  /// Makes a request ready for its origin if there was no connection to the advertised service.
  ///
  /// Nothing of it has been sent then, so that this holds for every method.
  func leaveAlternative(
    _ transfer: CurlTransfer, _ easy: CurlEasy, _ code: Int
  ) throws(TransferError) -> Bool {
    guard easy.alternative != nil, code != CCURLE_OK, transfer.failure == nil, transfer.attempts == 0,
      transfer.headBytes == 0
    else { return false }
    forgetAlternative(of: easy, for: transfer.request.url)
    transfer.isSendingPaused = false
    try transfer.body?.seek(to: 0)
    return true
  }
}
