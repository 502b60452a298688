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
    if isKept { wasOnKeptConnection = true }
    changesConnection = !isUsable && !needsNewConnection
    if let connection, easy?.maySpeakHTTP2 == true { loop.shared.insert(self, on: connection) }
    return !changesConnection
  }

  /// Makes the request ready for another connection; returns `false` where it is not for that reason that it has ended.
  func changeConnection(after code: Int) throws(TransferError) -> Bool {
    switch code {
    case CCURLE_ABORTED_BY_CALLBACK where changesConnection:
      (changesConnection, needsNewConnection) = (false, true)
    case CCURLE_HTTP2
    where isLeft && request.method.isIdempotent && departures < CurlTransport.departureLimit:
      departures += 1
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
    (attempts, wasOnKeptConnection) = (0, false)
  }

  /// Whether `code` came of the refusal to send a request twice.
  var wasRefusedToSendAgain: Bool { attempts > 1 && !request.method.isIdempotent }

  /// Whether libcurl has had a connection for the request, as far as it tells.
  var hasConnection: Bool { attempts > 0 || headBytes > 0 || easy?.asksBeforeSending != true }

  /// Whether nothing of an answer has come, for which libcurl (7.88) has this one reason where it names none: the server
  /// has said that it leaves the connection (GOAWAY; RFC 9113, section 6.8).
  var isLeft: Bool { headBytes == 0 && easy?.hasReason == false }

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

  /// Whether the server has said that it has not acted on the request (`REFUSED_STREAM`; RFC 9113, section 8.7).
  ///
  /// It is what libcurl sends a request again for that went over a new connection. After a kept one libcurl does that
  /// for whatever kept an answer from coming, and does not say what it was.
  private var wasRefusedByServer: Bool { !wasOnKeptConnection && easy?.hasReason == false }
}
