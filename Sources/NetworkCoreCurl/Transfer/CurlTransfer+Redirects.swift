// Redirects, which the loop follows.
extension CurlTransfer {
  /// Returns the request to send after the redirect that has arrived.
  func redirected() throws(TransferError) -> TransportRequest {
    try request.redirected(
      status: reception.head.status, to: reception.head.location, after: redirectCount,
      policy: loop.redirectPolicy)
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
