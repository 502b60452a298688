internal import CNetworkCoreCurl

extension TransferError {
  /// Translates a result of libcurl that concerns a certificate; `nil` for any other.
  init?(certificateCode code: Int, easy: CurlEasy, url: String, reason: String) {
    let problem: CertificateProblem
    let proxyResult = easy.long(CCURLINFO_PROXY_SSL_VERIFYRESULT)
    if code == CCURLE_PEER_FAILED_VERIFICATION, proxyResult != 0 {
      problem = CertificateProblem(proxyResult, reason, isOpenSSL: easy.library.verifiesWithOpenSSL)
      self = .certificate(problem: problem, host: easy.proxyHost ?? "the proxy", reason: reason)
      return
    }
    switch code {
    case CCURLE_PEER_FAILED_VERIFICATION:
      problem = CertificateProblem(
        easy.long(CCURLINFO_SSL_VERIFYRESULT), reason, isOpenSSL: easy.library.verifiesWithOpenSSL)
    case CCURLE_SSL_ISSUER_ERROR: problem = .unknownIssuer
    case CCURLE_SSL_PINNEDPUBKEYNOTMATCH: problem = .pinMismatch
    // One code means both a revoked certificate and a server that does not prove that it is not revoked; only
    // the messages differ.
    case CCURLE_SSL_INVALIDCERTSTATUS: problem = reason.contains("revocation") ? .revoked : .noStatus
    case CCURLE_SSL_CERTPROBLEM: problem = .unusableIdentity
    // The code of 8.23 for a key that does not match the certificate.
    case CCURLE_BAD_FUNCTION_ARGUMENT
    where easy.sendsClientCertificate && easy.long(CCURLINFO_REQUEST_SIZE) == 0:
      problem = .unusableIdentity
    case CCURLE_SSL_CLIENTCERT: problem = .identityRejected
    // In TLS 1.3 the client has completed the handshake when the server checks its certificate, so the alert
    // arrives in place of a response. Neither a code nor a `CURLINFO` names an alert; the words are
    // OpenSSL's, from RFC 8446, section 6.2. With other libraries, the error is `.secureConnectionFailed` or
    // `.connectionLost`.
    case CCURLE_SSL_CONNECT_ERROR, CCURLE_RECV_ERROR, CCURLE_SEND_ERROR:
      let alerts = ["certificate required", "bad certificate", "unknown ca", "certificate unknown"]
      guard reason.contains("alert"), alerts.contains(where: reason.contains) else { return nil }
      problem = .identityRejected
    default: return nil
    }
    self = .certificate(problem: problem, host: Origin(url: url)?.host ?? url, reason: reason)
  }
}

extension CertificateProblem {
  /// Translates the result of the verification.
  ///
  /// - Parameters:
  ///   - verifyResult: the TLS library's result for the chain (`CURLINFO_SSL_VERIFYRESULT`).
  ///   - reason: libcurl's error message.
  ///   - isOpenSSL: whether the result is an `X509_V_ERR_*`; other libraries have numbers of their own or
  ///     none.
  fileprivate init(_ verifyResult: Int, _ reason: String, isOpenSSL: Bool) {
    guard isOpenSSL else {
      // These libraries report no number for it.
      let words = ["subject name", "not match target host", "does not match"]
      self = words.contains(where: reason.contains) ? .wrongHost : .other
      return
    }
    switch verifyResult {
    // libcurl checks the host's name itself after OpenSSL has found no fault; until then the result is
    // "unspecified".
    case CCURL_X509_OK, CCURL_X509_UNSPECIFIED: self = .wrongHost
    case CCURL_X509_CERT_HAS_EXPIRED: self = .expired
    case CCURL_X509_CERT_NOT_YET_VALID: self = .notYetValid
    case CCURL_X509_DEPTH_ZERO_SELF_SIGNED_CERT, CCURL_X509_SELF_SIGNED_CERT_IN_CHAIN: self = .selfSigned
    case CCURL_X509_UNABLE_TO_GET_ISSUER_CERT, CCURL_X509_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
      CCURL_X509_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      self = .unknownIssuer
    case CCURL_X509_CERT_REVOKED: self = .revoked
    case CCURL_X509_HOSTNAME_MISMATCH, CCURL_X509_IP_ADDRESS_MISMATCH: self = .wrongHost
    default: self = .other
    }
  }
}
