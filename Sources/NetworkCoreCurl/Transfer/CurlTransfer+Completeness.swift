internal import CNetworkCoreCurl

// Whether a response is complete, which libcurl does not always notice.
extension CurlTransfer {
  /// The reason why a response that libcurl considers complete is not; `nil` if it is complete.
  var completionError: TransferError? {
    if endsWithProbe {
      let reason =
        "the request was first sent without its body to learn the proxy's challenge, and the proxy has none"
      return .cannotConnect(url: request.url, reason: reason)
    }
    if reception.closeNotify == CCURL_CLOSE_NOTIFY_MISSING {
      return .truncatedBody(
        reason:
          "the TLS connection ended without close_notify, after \(reception.bodyBytes) bytes of a body without length"
      )
    }
    guard let decoder = reception.decoder, !decoder.isWhole else { return nil }
    return .truncatedBody(reason: "the encoded data ends early, after \(reception.bodyBytes) decoded bytes")
  }

  /// Watches the end of the body that follows a head, if libcurl does not.
  func observeCloseNotify(_ easy: CurlEasy) {
    reception.closeNotify = nil
    guard easy.applied.isSecure, !reception.isMultiplexed, reception.head.isOpenEnded, request.method != .head
    else { return }
    reception.closeNotify = CCURL_CLOSE_NOTIFY_UNKNOWN
    // libcurl reports progress until right before it closes the connection.
    easy.set(CCURLOPT_NOPROGRESS, 0)
  }
}
