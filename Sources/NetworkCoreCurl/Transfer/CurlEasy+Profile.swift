internal import CNetworkCoreCurl

// The options that all requests to one host share.
extension CurlEasy {
  /// Sets the options of a profile on the handle.
  ///
  /// Most of them were tried when the transport was created, but not those that an evaluator requires later.
  ///
  /// - Throws: `TransferError.certificate` or `.other` if libcurl refuses an option; the request must not be
  ///   sent then.
  func apply(_ profile: CurlProfile, for url: String) throws(TransferError) {
    guard profile !== applied.profile else { return }
    // Restores libcurl's defaults first, because one profile may set options that another does not mention.
    if applied.profile != nil { reset() }
    for setting in profile.settings {
      let code = set(setting)
      guard code != CCURLE_OK else { continue }
      reset()
      throw TransferError(refused: setting, code: code, easy: self, url: url, version: library.version)
    }
    applied.profile = profile
    applied.url = nil
  }

  private func reset() {
    curl.pointee.easy_reset(handle)
    applied = AppliedRequest()
    setConstantOptions()
  }

  /// The host of the configured proxy.
  var proxyHost: String? { applied.profile?.proxy.flatMap(Origin.init(url:))?.host }

  /// Whether the client sends a certificate to servers.
  var sendsClientCertificate: Bool {
    applied.isSecure
      && applied.profile?.settings.contains {
        $0.option == CCURLOPT_SSLCERT || $0.option == CCURLOPT_SSLCERT_BLOB
      }
        == true
  }

  /// Whether another response may follow a response with the status 401 or 407.
  func respondsToChallenge(_ status: Int) -> Bool {
    status == 401 && applied.profile?.respondsToChallenges == true
      || status == 407 && applied.profile?.respondsToProxyChallenges == true
  }

  /// Whether libcurl may first send a request to a proxy without its body; `false` for requests through a
  /// tunnel.
  func probesProxy(with request: TransportRequest) -> Bool {
    !applied.bypassesProxy && !applied.isSecure && applied.profile?.forwardsPlainRequests == true
      && !request.upgradesConnection && respondsToChallenge(407)
  }
}
