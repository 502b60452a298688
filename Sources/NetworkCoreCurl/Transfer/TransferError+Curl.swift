internal import CNetworkCoreCurl

extension TransferError {
  /// Translates libcurl's result for a transfer that failed.
  ///
  /// - Parameters:
  ///   - code: a `CURLcode` other than `CURLE_OK`.
  ///   - easy: the handle, which knows the error message and the progress of the request.
  ///   - transfer: the transfer that failed.
  init(code: Int, easy: CurlEasy, transfer: CurlTransfer) {
    if let failure = transfer.failure {
      self = failure
      return
    }
    let url = transfer.request.url
    let reason = easy.reason(for: code)
    let wasSent = easy.long(CCURLINFO_REQUEST_SIZE) > 0
    if let error = TransferError(certificateCode: code, easy: easy, url: url, reason: reason) {
      self = error
      return
    }
    if !transfer.hasConnection, Self.isFailureToConnect(code) {
      // This includes a proxy that sends an invalid response to CONNECT.
      self = .cannotConnect(url: url, reason: reason, isUnsent: transfer.isUnsent)
      return
    }
    switch code {
    case _ where transfer.isExcludedByGoAway:
      self = .connectionLost(
        reason: "the server left \(CurlTransport.goAwayLimit + 1) connections (GOAWAY) before it responded")
    case CCURLE_HTTP2 where !transfer.attempt.hasResponse:
      // libcurl (8.0 and newer) also reports this code for a connection that closes.
      self = .connectionLost(reason: reason)
    case CCURLE_UNSUPPORTED_PROTOCOL where wasSent, CCURLE_WEIRD_SERVER_REPLY, CCURLE_HTTP2,
      CCURLE_BAD_CONTENT_ENCODING:
      // The first code means that the response does not begin with a status line.
      self = .badServerResponse(reason: reason)
    case CCURLE_BAD_FUNCTION_ARGUMENT where wasSent:
      // A head that begins with a continuation line; see `LibcurlDefects.mishandlesFirstContinuation`.
      self = .badServerResponse(reason: "a header line is malformed")
    case CCURLE_UNSUPPORTED_PROTOCOL, CCURLE_URL_MALFORMAT:
      self = .unsupportedURL(url)
    case CCURLE_COULDNT_RESOLVE_HOST:
      self = .cannotFindHost(Origin(url: url)?.host ?? url, isUnsent: transfer.isUnsent)
    case CCURLE_OPERATION_TIMEDOUT:
      // libcurl applies only the time limit for connecting.
      self = .timedOut(
        .connect, after: transfer.limits.length(of: .connect), isUnsent: transfer.isUnsent)
    case CCURLE_COULDNT_RESOLVE_PROXY, CCURLE_COULDNT_CONNECT, CCURLE_PROXY, CCURLE_QUIC_CONNECT_ERROR:
      self = .cannotConnect(url: url, reason: reason, isUnsent: transfer.isUnsent)
    case CCURLE_PARTIAL_FILE:
      self = .truncatedBody(reason: reason)
    case CCURLE_OUT_OF_MEMORY where wasSent && !transfer.hasHead, CCURLE_TOO_LARGE where !transfer.hasHead:
      // For a line of more than 100 KiB, libcurl (up to 8.5) reports the first code, libcurl (8.6 and newer) the
      // second.
      self = .badServerResponse(reason: "a header line is too long")
    case CCURLE_RECV_ERROR:
      self = TransferError(receiving: easy, transfer, reason)
    case CCURLE_ABORTED_BY_CALLBACK where transfer.wasRefusedRetry:
      self = .connectionLost(
        reason: "the reused connection closed, or the server refused the request, before any response, and "
          + "\(transfer.request.method.rawValue) is not retried")
    case CCURLE_GOT_NOTHING where transfer.hasHead && transfer.request.upgradesConnection:
      self = .connectionLost(reason: "the server closed it right after the handshake")
    case CCURLE_GOT_NOTHING, CCURLE_SEND_ERROR, CCURLE_SEND_FAIL_REWIND, CCURLE_HTTP2_STREAM, CCURLE_HTTP3:
      self = .connectionLost(reason: reason)
    case CCURLE_SSL_CONNECT_ERROR, CCURLE_SSL_ENGINE_NOTFOUND, CCURLE_SSL_ENGINE_SETFAILED,
      CCURLE_SSL_CERTPROBLEM, CCURLE_SSL_CIPHER, CCURLE_PEER_FAILED_VERIFICATION, CCURLE_USE_SSL_FAILED,
      CCURLE_SSL_ENGINE_INITFAILED, CCURLE_SSL_CACERT_BADFILE, CCURLE_SSL_SHUTDOWN_FAILED,
      CCURLE_SSL_CRL_BADFILE, CCURLE_SSL_ISSUER_ERROR, CCURLE_SSL_PINNEDPUBKEYNOTMATCH,
      CCURLE_SSL_INVALIDCERTSTATUS, CCURLE_SSL_CLIENTCERT, CCURLE_ECH_REQUIRED:
      self = .secureConnectionFailed(reason: reason)
    // The remaining codes mean that libcurl has no memory, was built without a feature or was used
    // incorrectly, or they concern protocols other than HTTP.
    default:
      self = .other(code: code, reason: reason)
    }
  }

  /// Whether a code, for a request without a connection, means that the server cannot be reached.
  private static func isFailureToConnect(_ code: Int) -> Bool {
    switch code {
    case CCURLE_GOT_NOTHING, CCURLE_SEND_ERROR, CCURLE_RECV_ERROR, CCURLE_WEIRD_SERVER_REPLY,
      CCURLE_PARTIAL_FILE, CCURLE_AUTH_ERROR, CCURLE_TOO_LARGE:
      true
    default: false
    }
  }

  /// Translates `CURLE_RECV_ERROR`, which means both a broken connection and invalid bytes.
  private init(receiving easy: CurlEasy, _ transfer: CurlTransfer, _ reason: String) {
    let isHTTP2 =
      transfer.reception.isMultiplexed
      || easy.applied.maySpeakHTTP2 && easy.reported.negotiatedProtocol != CCURL_ALPN_OTHER
    // libcurl (8.10 and newer) still writes to such a connection, and the other side may respond with a reset.
    if transfer.hasHead, transfer.reception.closeNotify == CCURL_CLOSE_NOTIFY_MISSING {
      self = .truncatedBody(reason: reason)
      return
    }
    switch easy.connection?.peerState {
    // With HTTP/2 a stream can be reset after its head, and refused repeatedly.
    case .open where !isHTTP2 || !transfer.hasHead && transfer.attempt.count == 1,
      .finished where !easy.applied.isSecure && !isHTTP2:
      self = .badServerResponse(reason: reason)
    case .finished where transfer.hasHead && easy.applied.isSecure:
      // The server, or an attacker on the network path, has closed the connection without a close_notify.
      self = .truncatedBody(reason: reason)
    case .reset where transfer.hasHead && easy.applied.isSecure && !isHTTP2:
      // The same, because libcurl (8.10 and newer) still writes its close_notify.
      self = .truncatedBody(reason: reason)
    default: self = .connectionLost(reason: reason)
    }
  }

  /// Creates the error for an option that libcurl refuses; without it the request must not be sent.
  init(refused setting: CurlSetting, code: Int, easy: CurlEasy, url: String, version: String) {
    let isUnknown = code == CCURLE_UNKNOWN_OPTION || code == CCURLE_NOT_BUILT_IN
    let reason =
      "\(setting.name) cannot be set: " + (isUnknown ? "\(version) does not have it" : easy.reason(for: code))
    self =
      setting.isAboutTrust
      ? .certificate(problem: .noPolicy, host: Origin(url: url)?.host ?? url, reason: reason)
      : .other(code: code, reason: reason)
  }
}
