internal import CCurl

// Whether a request is sent once more, and over which connection.
extension CurlTransfer {
  /// Whether libcurl may send the request, now that it has a connection: see `CurlEasy.prepare`.
  ///
  /// Not where something has come over that connection since the last answer: it would be taken for the answer to this
  /// request. Nothing of it has been sent then, so that it may go over another connection, whatever its method.
  func maySend(over connection: ConnectionEnds?) -> Bool {
    loop.multi.calls.noteProgress()
    let isKept = easy?.isKept(connection) ?? true
    loop.origins.noteSent(self, on: isKept ? nil : easy?.socket, now: loop.now)
    let isUsable = !isKept || easy?.hasUnaskedBytes != true
    attempts += 1
    if attempts > 1 { easy?.noteFailure() }
    isConnecting = false
    // libcurl repeats it with the same `Expect` where that is the request's own: over and over.
    isUnexpected = attempts > 1 && head.status == 417
    guard !isUnexpected else { return false }
    // HTTP_1_1_REQUIRED: libcurl asks again whatever it has handed out of the answer, and would hand out another behind that.
    guard attempts == 1 || !head.isClosed || head.isProvisional else {
      failure = .connectionLost(
        reason: "the server broke off its answer to be asked in another version of HTTP")
      return false
    }
    guard attempts == 1 || request.method.isIdempotent || wasRefusedByServer else { return false }
    wasOnKeptConnection = isKept
    hasBeenOnKeptConnection = hasBeenOnKeptConnection || isKept
    changesConnection = !isUsable && !needsNewConnection
    if let connection, easy?.maySpeakHTTP2 == true { loop.shared.insert(self, on: connection) }
    return !changesConnection
  }

  /// Makes the request ready for another connection; returns `false` where it is not for that reason that it has ended.
  func changeConnection(after code: Int) throws(TransferError) -> Bool {
    switch code {
    case CCURLE_ABORTED_BY_CALLBACK where changesConnection:
      (changesConnection, needsNewConnection) = (false, true)
    case _ where isLeft && departures < CurlTransport.departureLimit:
      departures += 1
    case _ where request.method.isIdempotent && hasLostKeptConnection(code) && !needsNewConnection:
      needsNewConnection = true
    default:
      return false
    }
    forgetAttempts()
    isSendingPaused = false
    challenge = nil
    try body?.seek(to: 0)
    return true
  }

  /// What is sent next is another request than before.
  func forgetAttempts() {
    (attempts, hasAnswer) = (0, false)
    (wasOnKeptConnection, hasBeenOnKeptConnection) = (false, false)
  }

  /// Whether `code` came of the refusal to send a request twice.
  var wasRefusedToSendAgain: Bool { attempts > 1 && !request.method.isIdempotent }

  /// Whether the request has a connection, as far as libcurl tells: not while a proxy is still asked for a tunnel.
  var hasConnection: Bool {
    attempts > 0 && !isConnecting || headBytes > 0
  }

  /// Whether the server has left the connection and has said that it has not processed the request (GOAWAY; RFC 9113, section 6.8).
  var isLeft: Bool { !hasAnswer && failure == nil && easy?.isLeftOut == true }

  /// Whether a kept connection has broken before any answer.
  func hasLostKeptConnection(_ code: Int) -> Bool {
    switch code {
    case CCURLE_OK, CCURLE_GOT_NOTHING, CCURLE_SEND_ERROR, CCURLE_RECV_ERROR, CCURLE_PARTIAL_FILE,
      CCURLE_HTTP2:
      wasOnKeptConnection && !hasAnswer
    default: false
    }
  }

  /// Whether an answer may be one to a request without the body, by which libcurl learns which credentials are wanted: where none are,
  /// it sends the request with its body next, and drops what came of the first.
  func mayBeOfProbe(_ status: Int) -> Bool {
    guard status < 300, body != nil, let easy else { return false }
    return (easy.answersChallenge(401) || easy.probesProxy) && easy.offset(CCURLINFO_SIZE_UPLOAD_T) == 0
  }

  /// Whether the answer is one to a request without its body all the same: where a proxy wants no credentials, libcurl (7.88) does
  /// not go on to the body as it does where a server wants none.
  var endsWithProbe: Bool {
    guard head.status < 300, let body, body.length != 0, let easy, easy.probesProxy else { return false }
    return !easy.answersChallenge(401) && easy.offset(CCURLINFO_SIZE_UPLOAD_T) == 0
  }

  /// Whether the server has said that it has not processed the request: `REFUSED_STREAM`, or GOAWAY below its stream (RFC 9113,
  /// section 8.7).
  ///
  /// That is why libcurl sends a request again, unless it does that after every kept connection, or to speak HTTP/1.1 on a
  /// new one (`HTTP_1_1_REQUIRED`).
  private var wasRefusedByServer: Bool {
    guard let easy, easy.leavesRetries || !hasBeenOnKeptConnection else { return false }
    return easy.agreedOnHTTP2 ?? !easy.hasReason
  }
}
