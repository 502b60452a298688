internal import CNetworkCoreCurl

extension TransferError {
  /// Translates a result of libcurl that concerns a certificate; `nil` for any other.
  init?(certificateCode code: Int, easy: CurlEasy, url: String, reason: String) {
    let problem: CertificateProblem
    let proxyResult = easy.long(CCURLINFO_PROXY_SSL_VERIFYRESULT)
    if code == CCURLE_PEER_FAILED_VERIFICATION, proxyResult != 0 {
      problem = CertificateProblem(proxyResult, by: easy.library.verifyingLibrary)
      self = .certificate(problem: problem, host: easy.proxyHost ?? "the proxy", reason: reason)
      return
    }
    switch code {
    // libcurl reports the alert `certificate_expired` in the handshake of TLS 1.2 with these words and this code,
    // as if the server's certificate had expired.
    case CCURLE_PEER_FAILED_VERIFICATION where reason == "SSL certificate verification failed":
      problem = .identityRejected
    case CCURLE_PEER_FAILED_VERIFICATION:
      problem = CertificateProblem(easy.long(CCURLINFO_SSL_VERIFYRESULT), by: easy.library.verifyingLibrary)
    case CCURLE_SSL_ISSUER_ERROR: problem = .unknownIssuer
    case CCURLE_SSL_PINNEDPUBKEYNOTMATCH: problem = .pinMismatch
    // Classified by words: one code means both a revoked certificate and a server that
    // does not prove that it is not revoked, and libcurl keeps the status of the OCSP response for its message.
    case CCURLE_SSL_INVALIDCERTSTATUS: problem = reason.contains("revocation") ? .revoked : .noStatus
    case CCURLE_SSL_CERTPROBLEM: problem = .unusableIdentity
    // libcurl (8.23) reports this code for a key that does not match the certificate.
    case CCURLE_BAD_FUNCTION_ARGUMENT
    where easy.sendsClientCertificate && easy.long(CCURLINFO_REQUEST_SIZE) == 0:
      problem = .unusableIdentity
    case CCURLE_SSL_CLIENTCERT: problem = .identityRejected
    // In TLS 1.3 the client has completed the handshake when the server checks its certificate, so the alert
    // arrives in place of a response.
    case CCURLE_SSL_CONNECT_ERROR, CCURLE_RECV_ERROR, CCURLE_SEND_ERROR:
      guard CertificateAlert.isReported(in: reason) else { return nil }
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
  ///   - library: the library whose numbers these are.
  fileprivate init(_ verifyResult: Int, by library: VerifyingLibrary) {
    self =
      switch library {
      case .openSSL: CertificateProblem(openSSL: verifyResult)
      case .gnuTLS: CertificateProblem(gnuTLS: verifyResult)
      case .other: .other
      }
  }

  /// Translates an `X509_V_ERR_*`.
  private init(openSSL verifyResult: Int) {
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

  /// Translates the flags of `gnutls_certificate_status_t`.
  ///
  /// There is none for a self-signed certificate, whose issuer is unknown. libcurl checks the host's name itself
  /// after GnuTLS has found no fault.
  private init(gnuTLS flags: Int) {
    switch flags {
    case 0: self = .wrongHost
    case _ where flags & CCURL_GNUTLS_CERT_REVOKED != 0: self = .revoked
    case _ where flags & CCURL_GNUTLS_CERT_SIGNER_NOT_FOUND != 0: self = .unknownIssuer
    case _ where flags & CCURL_GNUTLS_CERT_NOT_ACTIVATED != 0: self = .notYetValid
    case _ where flags & CCURL_GNUTLS_CERT_EXPIRED != 0: self = .expired
    default: self = .other
    }
  }
}

/// The library whose numbers `CURLINFO_SSL_VERIFYRESULT` reports.
enum VerifyingLibrary {
  /// OpenSSL, or a library derived from it.
  case openSSL
  case gnuTLS
  /// One without numbers.
  case other

  /// Finds the library in the text of `curl_version`.
  init(version: String) {
    let derived = [" OpenSSL/", " LibreSSL/", " BoringSSL", " AWS-LC/", " quictls/"]
    self =
      derived.contains(where: version.contains) ? .openSSL : version.contains(" GnuTLS/") ? .gnuTLS : .other
  }
}

/// A TLS alert about a certificate (RFC 8446, section 6.2).
private enum CertificateAlert {
  /// From `bad_certificate` to `certificate_unknown`, `unknown_ca`, and `certificate_required`.
  private static let numbers: Set<Int> = [42, 43, 44, 45, 46, 48, 116]

  /// Whether libcurl's message says that the other side has sent such an alert.
  ///
  /// libcurl passes on the number only within its message, as OpenSSL writes it: `error:0A00045C:…`. The first
  /// byte is the part of OpenSSL (20, shifted by one bit from 3.0 on), and the last twelve bits are 1000 more than
  /// the alert. Other libraries' messages have no number.
  static func isReported(in message: String) -> Bool {
    let parts = message.split(separator: ":", omittingEmptySubsequences: false)
    return zip(parts, parts.dropFirst()).contains { label, digits in
      guard label.hasSuffix("error"), digits.utf8.count == 8, let number = Int(digits, radix: 16) else {
        return false
      }
      return [0x0A, 0x10, 0x14].contains(number >> 24) && numbers.contains(number & 0xFFF - 1_000)
    }
  }
}
