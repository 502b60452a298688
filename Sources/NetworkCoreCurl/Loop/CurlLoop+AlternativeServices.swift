internal import CNetworkCoreCurl

// Requests to alternative services that origins have advertised.
extension CurlTransfer {
  /// Stores a head line that advertises services; several such lines form one list (RFC 9110, section 5.3).
  func noteAlternativeServices(_ line: UnsafeRawBufferPointer) {
    guard loop.alternativeServices != nil, !reception.head.isClosed || reception.head.isProvisional,
      line.hasLowercasedPrefix("alt-svc:")
    else { return }
    let value = String(decoding: line.dropFirst(8), as: UTF8.self)
    reception.advertisedServices = reception.advertisedServices.map { "\($0), \(value)" } ?? value
  }

  /// Applies the advertisements of a head with `status`.
  ///
  /// A 421 advertises nothing (RFC 7838, section 6): it says that the request was sent to the wrong server.
  func applyAlternativeServices(ofHeadWith status: Int) {
    guard let value = reception.advertisedServices.take(), status != 421 else { return }
    loop.alternativeServices?.store(value[...], from: request.url, now: loop.now)
  }
}

extension CurlLoop {
  /// Stops using the alternative service that a handle's request was sent to, if there is one.
  func removeAlternativeService(of easy: CurlEasy, for url: String) {
    guard let service = easy.applied.alternative else { return }
    alternativeServices?.noteFailure(of: service, for: url, now: now)
  }
}
