internal import CCurl

extension TransferError {
  /// Reads libcurl's result for a transfer that did not end well.
  ///
  /// - Parameters:
  ///   - code: a `CURLcode` other than `CCURLE_OK`.
  ///   - easy: the handle, asked for the reason and for how far it had come.
  ///   - transfer: what was being sent.
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
    // Such as a proxy that says nothing sensible to CONNECT.
    if !transfer.hasConnection || reason.contains("CONNECT") {
      switch code {
      case CCURLE_GOT_NOTHING, CCURLE_SEND_ERROR, CCURLE_RECV_ERROR:
        self = .cannotConnect(url: url, reason: reason)
        return
      default: break
      }
    }
    switch code {
    case CCURLE_HTTP2 where transfer.isLeft:
      self = .connectionLost(
        reason: "the server has left the connection before any answer, and "
          + "\(transfer.request.method.rawValue) is not sent \(transfer.request.method.isIdempotent ? "yet again" : "twice")"
      )
    case CCURLE_UNSUPPORTED_PROTOCOL where wasSent, CCURLE_WEIRD_SERVER_REPLY, CCURLE_HTTP2,
      CCURLE_BAD_CONTENT_ENCODING:
      // The first is how libcurl says that the answer does not begin with a status line.
      self = .badServerResponse(reason: reason)
    case CCURLE_BAD_FUNCTION_ARGUMENT where wasSent:
      // libcurl's answer to a head that begins with a continued line.
      self = .badServerResponse(reason: "a header line makes no sense")
    case CCURLE_UNSUPPORTED_PROTOCOL where transfer.isAfterRedirect,
      CCURLE_URL_MALFORMAT where transfer.isAfterRedirect:
      self = .redirectRefused(url: url, reason: "it is not a valid URL")
    case CCURLE_UNSUPPORTED_PROTOCOL, CCURLE_URL_MALFORMAT:
      self = .unsupportedURL(url)
    case CCURLE_COULDNT_RESOLVE_HOST:
      self = .cannotFindHost(Origin(url: url)?.host ?? url)
    case CCURLE_OPERATION_TIMEDOUT:
      // The only time-out that libcurl is told of is the one for connecting.
      self = .timedOut(.connect, after: transfer.limits.seconds(.connect))
    case CCURLE_COULDNT_RESOLVE_PROXY, CCURLE_COULDNT_CONNECT, CCURLE_PROXY:
      self = .cannotConnect(url: url, reason: reason)
    case CCURLE_PARTIAL_FILE:
      self = .truncatedBody(reason: reason)
    case CCURLE_WRITE_ERROR where transfer.isRedirected:
      self = .badServerResponse(
        reason: "a redirect with a body of more than \(CurlTransport.redirectBodyLimit) bytes")
    case CCURLE_WRITE_ERROR where transfer.hasHead:
      // What goes wrong with bytes that are handed over has said so by now; this is libcurl's decoder.
      self = .badServerResponse(reason: "something follows the encoded body")
    case CCURLE_OUT_OF_MEMORY where wasSent && !transfer.hasHead:
      // libcurl's answer to a line of more than 100 KiB.
      self = .badServerResponse(reason: "a header line is too long")
    case CCURLE_RECV_ERROR where reason.contains("callback function failed"):
      self = .badServerResponse(reason: "its head makes no sense, or unpacks to more than libcurl takes")
    case CCURLE_RECV_ERROR where transfer.hasHead && reason.contains("unexpected eof"):
      // OpenSSL's words: the server, or somebody on the way, has closed without saying so within TLS.
      self = .truncatedBody(reason: reason)
    case CCURLE_RECV_ERROR where reason.contains("chunked-encoding") || reason.contains("headers"):
      // libcurl has one code for a broken connection and for chunks or heads that make no sense.
      self = .badServerResponse(reason: reason)
    case CCURLE_ABORTED_BY_CALLBACK where transfer.wasRefusedToSendAgain:
      self = .connectionLost(
        reason: "the kept connection closed, or the request was refused, before any answer, and "
          + "\(transfer.request.method.rawValue) is not sent twice")
    case CCURLE_GOT_NOTHING, CCURLE_SEND_ERROR, CCURLE_RECV_ERROR, CCURLE_SEND_FAIL_REWIND,
      CCURLE_HTTP2_STREAM:
      self = .connectionLost(reason: reason)
    case CCURLE_SSL_CONNECT_ERROR, CCURLE_SSL_ENGINE_NOTFOUND, CCURLE_SSL_ENGINE_SETFAILED,
      CCURLE_SSL_CERTPROBLEM,
      CCURLE_SSL_CIPHER, CCURLE_PEER_FAILED_VERIFICATION, CCURLE_USE_SSL_FAILED, CCURLE_SSL_ENGINE_INITFAILED,
      CCURLE_SSL_CACERT_BADFILE, CCURLE_SSL_SHUTDOWN_FAILED, CCURLE_SSL_CRL_BADFILE, CCURLE_SSL_ISSUER_ERROR,
      CCURLE_SSL_PINNEDPUBKEYNOTMATCH, CCURLE_SSL_INVALIDCERTSTATUS, CCURLE_SSL_CLIENTCERT:
      self = .secureConnectionFailed(reason: reason)
    default:
      self = .other(code: code, reason: reason)
    }
  }
  /// An option that libcurl does not take, without which the request must not be sent.
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
