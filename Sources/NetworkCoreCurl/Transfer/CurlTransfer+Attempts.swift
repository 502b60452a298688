internal import CNetworkCoreCurl

// Whether to retry a request, and over which connection.
extension CurlTransfer {
  /// Begins an attempt to send the request, now that it has a connection; returns `false` if libcurl must not
  /// send it.
  ///
  /// That is so if bytes have arrived over that connection since the last response: they would be read
  /// as the response to this request. Nothing of the request has been sent at that point, so it may use
  /// another connection, whatever its method.
  func beginAttempt(over endpoints: ConnectionEndpoints?) -> Bool {
    loop.multi.watchdog.noteProgress()
    let isReused = easy?.noteConnection(endpoints) ?? true
    loop.origins.noteSent(self, on: isReused ? nil : easy?.socket, now: loop.now)
    let isUsable = !isReused || easy?.hasUnsolicitedBytes != true
    attempt.count += 1
    (upload.isOver, upload.isEndUnsent) = (false, false)
    if attempt.count > 1 { easy?.noteFailure() }
    attempt.isConnecting = false
    // If the request has its own `Expect` field, libcurl retries it with that field without limit.
    attempt.expectationFailed = attempt.count > 1 && reception.head.status == 417
    guard !attempt.expectationFailed else { return false }
    // HTTP_1_1_REQUIRED: libcurl retries even if it has already delivered part of the response, and would
    // deliver another response after it.
    guard attempt.count == 1 || !reception.head.isClosed || reception.head.isProvisional else {
      failure = .connectionLost(
        reason: "the server aborted its response to require HTTP/1.1")
      return false
    }
    guard attempt.count == 1 || request.method.isIdempotent || wasPresumablyRefused else { return false }
    attempt.wasOnReusedConnection = isReused
    attempt.hasBeenOnReusedConnection = attempt.hasBeenOnReusedConnection || isReused
    attempt.changesConnection = !isUsable && !retries.needsNewConnection
    if let easy, easy.applied.maySpeakHTTP2, let connection = easy.connection { join(connection) }
    if !attempt.changesConnection { observeConnection(isReused: isReused) }
    return !attempt.changesConnection
  }

  /// Prepares the request for another attempt.
  func prepareRetry(_ reason: TransferOutcome.Retry) throws(TransferError) {
    switch reason {
    case .alternativeUnreachable, .waits: break
    case .unusableConnection: retries.needsNewConnection = true
    case .lostConnection: (retries.needsNewConnection, retries.mayHaveBeenSent) = (true, true)
    case .excludedByGoAway: retries.goAwayCount += 1
    }
    // libcurl may have repeated the request by itself.
    if attempt.count > 1 { retries.mayHaveBeenSent = true }
    attempt = AttemptState()
    pauses.isSendingPaused = false
    reception.challenge = nil
    try body?.seek(to: 0)
  }

  /// Whether nothing of the request has been sent, or processed by a server that left (GOAWAY).
  ///
  /// libcurl opens another connection by itself if a kept one breaks, which is then the one that fails.
  var isUnsent: Bool { attempt.count == 0 && !retries.mayHaveBeenSent }

  /// Whether the transfer ended because this request must not be sent twice.
  var wasRefusedRetry: Bool { attempt.count > 1 && !request.method.isIdempotent }

  /// Whether the request has a connection, as far as libcurl reports it; `false` while a proxy is setting up
  /// a tunnel.
  var hasConnection: Bool {
    attempt.count > 0 && !attempt.isConnecting || reception.headBytes > 0
  }

  /// Whether the server has left the connection and has stated that it has not processed the request (GOAWAY;
  /// RFC 9113, section 6.8).
  var isExcludedByGoAway: Bool { !attempt.hasResponse && failure == nil && easy?.isExcludedByGoAway == true }

  /// Whether a response may belong to a probe, a request without its body, with which libcurl learns which
  /// credentials are required.
  ///
  /// If none are required, libcurl then sends the request with its body, and discards the response to the
  /// probe.
  func mayBeOfProbe(_ status: Int) -> Bool {
    guard status < 300, status != 101, body != nil, let easy else { return false }
    return (easy.respondsToChallenge(401) || easy.probesProxy(with: request))
      && easy.offset(CCURLINFO_SIZE_UPLOAD_T) == 0
  }

  /// Whether the response belongs to a probe after all: if a proxy requires no credentials, libcurl (7.88)
  /// does not continue with the body, as it does if a server requires none.
  var endsWithProbe: Bool {
    guard reception.head.status < 300, let body, body.length != 0, let easy, easy.probesProxy(with: request)
    else { return false }
    return !easy.respondsToChallenge(401) && easy.offset(CCURLINFO_SIZE_UPLOAD_T) == 0
  }

  /// Whether the server has presumably stated that it has not processed the request: `REFUSED_STREAM`, or
  /// GOAWAY below its stream (RFC 9113, section 8.7).
  ///
  /// libcurl does not say so, but this is the reason for its retries, unless it retries after every broken reused connection, or to
  /// use HTTP/1.1 on a new one (`HTTP_1_1_REQUIRED`).
  private var wasPresumablyRefused: Bool {
    guard let easy, easy.leavesRetriesToTransport || !attempt.hasBeenOnReusedConnection else { return false }
    return switch easy.reported.negotiatedProtocol {
    case CCURL_ALPN_HTTP2: true
    case CCURL_ALPN_OTHER: false
    default: !easy.hasReason
    }
  }
}
