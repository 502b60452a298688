internal import CNetworkCoreCurl

// The connection of a handle's current request.
extension CurlEasy {
  /// Notes that the request gets a connection, whose endpoints may be unknown; returns whether it may have
  /// been used before.
  func noteConnection(_ endpoints: ConnectionEndpoints?) -> Bool {
    let found = endpoints.flatMap { sockets?.connection(with: $0) }
    reported = ReportedConnection(
      hasBegun: true, connection: found?.connection,
      negotiatedProtocol: applied.maySpeakHTTP2 && applied.isSecure ? negotiatedProtocol : CCURL_ALPN_UNKNOWN)
    return found?.isReused ?? true
  }

  /// Whether unsolicited bytes have arrived on the reused connection of the request.
  ///
  /// With HTTP/2, arriving bytes may belong to the protocol itself.
  var hasUnsolicitedBytes: Bool {
    guard let connection, applied.isSecure || !applied.maySpeakHTTP2 else { return false }
    return connection.hasInput(isSecure: applied.isSecure)
  }

  /// Notes that libcurl has ended a transfer whose response had begun, or has retried a request.
  ///
  /// libcurl (8.12 to 8.23) remembers a refused stream until it retries a request for that reason. The next
  /// request of the handle would be retried after any failure, whatever its method.
  ///
  /// libcurl (8.12 to 8.16) also counts its retries by handle, and fails the sixth, whichever request it
  /// belongs to.
  func noteFailure() {
    if applied.maySpeakHTTP2 { mustNotBeReused = true }
  }

  /// Notes a message of libcurl's log about the request or its connection.
  func noteLogLine(_ line: GoAwayLogLine) {
    switch line {
    case .stream(let number): reported.stream = number
    case .goAway(let last):
      guard let connection else { return }
      connection.noteGoAway(last: last)
      transfer?.loop.origins.noteGoAway(on: connection)
    }
  }

  /// Whether the server has left the connection of the current request without processing the request.
  var isExcludedByGoAway: Bool {
    guard let stream = reported.stream, let last = connection?.lastProcessedStream else { return false }
    return stream > last
  }

  /// Notes that the head of a response has arrived.
  func noteResponse(isMultiplexed: Bool) {
    if applied.isSecure, !isMultiplexed { connection?.isSecureHTTP1 = true }
  }

  /// Makes libcurl send the data that it has buffered for an HTTP/2 connection, such as the reset of another
  /// stream.
  ///
  /// Pausing and resuming makes it send a window update if one is needed, and all other pending data in any
  /// case.
  func sendBufferedFrames() {
    _ = curl.pointee.easy_pause(handle, CInt(CCURLPAUSE_RECV))
    _ = curl.pointee.easy_pause(handle, 0)
  }
}
