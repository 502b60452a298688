internal import Foundation

// Redirects, which the loop follows.
extension CurlTransfer {
  /// Returns the request to send after a redirect.
  func redirected(to location: String) throws(TransferError) -> TransportRequest {
    let policy = loop.redirectPolicy
    guard redirectCount < policy.limit else { throw .tooManyRedirects(limit: policy.limit) }
    if let broken = reception.head.invalidLocation {
      throw .redirectRefused(url: broken, reason: "it is not a valid URL")
    }
    // libcurl (7.88, but not 8.12) resolves a lone fragment against the folder of the resource instead of the
    // resource (RFC 3986, section 5.2.2).
    let target =
      reception.head.isFragmentOnly
      ? request.url.withoutFragment + Substring(location.utf8.drop { $0 != UInt8(ascii: "#") })
      : UnixSocketURL(request.url)?.resolve(location) ?? location
    return try request.redirected(
      status: reception.head.status, to: target, allowsDowngrade: policy.allowsDowngrade)
  }

  /// Makes the redirect the response, with the body that has arrived.
  func keepRedirect() throws(TransferError) {
    if let limit = request.responseBodyLimit, reception.redirectBody.count > limit {
      throw .responseTooLarge(limit: limit)
    }
    pendingEvents.head = reception.redirectHead
    if !reception.redirectBody.isEmpty { pendingEvents.body = reception.redirectBody }
  }

  /// Replaces the request with the one to send after a redirect.
  func follow(_ next: TransportRequest) throws(TransferError) {
    observe(.redirected(to: next.url, statusCode: reception.head.status))
    redirectCount += 1
    if next.body == request.body { try body?.seek(to: 0) } else { body = nil }
    request = next
    pendingEvents.metrics = nil
    lastActivity = loop.now
    (attempt, retries) = (AttemptState(), RetryState())
    (reception, pauses, upload) = (ReceptionState(), PauseState(), UploadState())
  }

  /// Whether the response is a redirect to follow.
  var isRedirected: Bool { reception.head.isRedirect }

  /// Whether the request is the result of a redirect.
  var isAfterRedirect: Bool { redirectCount > 0 }
}
