internal import CNetworkCoreCurl
internal import Foundation
internal import Synchronization

// Called by libcurl, through `CurlCallbacks`.
extension CurlTransfer {
  /// Processes a line of a head; returns `false` to end the transfer.
  func receivedHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
    loop.multi.watchdog.noteProgress()
    lastActivity = loop.now
    if !attempt.hasResponse { observe(.firstByte) }
    (hasFirstByte, attempt.hasResponse) = (true, true)
    reception.headBytes += line.count
    guard reception.headBytes <= CurlTransport.headLimit else {
      failure = .badServerResponse(reason: "its head has more than \(CurlTransport.headLimit) bytes")
      return false
    }
    if ContinuationLineCheck.isField(line) { reception.fieldCount += 1 }
    guard reception.fieldCount <= CurlTransport.fieldLimit else {
      failure = .badServerResponse(reason: "its head has more than \(CurlTransport.fieldLimit) fields")
      return false
    }
    noteAlternativeServices(line)
    if !reception.head.isClosed { keepCookie(before: line) }
    guard let easy, reception.head.append(line) else {
      guard let problem = reception.head.problem else { return true }
      failure = .badServerResponse(reason: problem)
      return false
    }
    let status = easy.long(CCURLINFO_RESPONSE_CODE)
    guard reception.head.close(status: status) else { return true }
    if status == 101, request.headers["Upgrade"] == nil {
      failure = .badServerResponse(reason: "it switches protocols (101), which the request did not ask for")
      return false
    }
    // libcurl sends no body with the request that a challenge is to answer, so nothing could be sent.
    if status == 101, easy.respondsToChallenge(401), reception.challengeCount == 0 {
      failure = .badServerResponse(
        reason: "it switches protocols (101) without asking for the credential of the configuration")
      return false
    }
    if request.upgradesConnection { endUpload(ifRefusedWith: status) }
    applyAlternativeServices(ofHeadWith: status)
    if status == 421 { loop.removeAlternativeService(of: easy, for: request.url) }
    let version = HTTPVersion(curl: easy.long(CCURLINFO_HTTP_VERSION))
    reception.isMultiplexed = version == .http2 || version == .http3
    (reception.decoder, reception.decodedAhead) = (nil, 0)
    loop.origins.noteResponse(to: self, isMultiplexed: reception.isMultiplexed)
    easy.noteResponse(isMultiplexed: reception.isMultiplexed)
    var received = ResponseHead(
      statusCode: status, url: request.url, httpVersion: version, fieldLines: reception.head.take())
    received.method = request.method
    if request.handsOverTransfer { received.transfer = self }
    if !discardsBody { observeCloseNotify(easy) }
    // libcurl responds to a challenge without delivering the body of the 401. If a body arrives, this is the
    // final response; otherwise the end of the transfer shows it.
    reception.head.isProvisional = easy.respondsToChallenge(status) || mayBeOfProbe(status)
    reception.challenge = reception.head.isProvisional ? received : nil
    guard !reception.head.isProvisional else {
      reception.challengeCount += 1
      guard reception.challengeCount <= CurlTransport.challengeLimit else {
        failure = .badServerResponse(
          reason: "it asks for credentials more than \(CurlTransport.challengeLimit) times")
        return false
      }
      (attempt, retries.mayHaveBeenSent) = (AttemptState(), true)
      // The head may have set some.
      easy.setCookies(loop.profiles.cookies(for: request), of: request)
      return true
    }
    pendingEvents.head = received
    loop.batch.add(self)
    return true
  }

  /// Returns whether libcurl may open a socket of an address family for the transfer.
  func admitSocket(_ family: CInt) -> Bool {
    // libcurl (8.23) applies the family only to names, and connects to any address in a URL.
    loop.family.accepts(family) && (attempt.count > 0 || loop.origins.admitSocket(for: self))
  }

  /// Notes that a socket opens for the transfer.
  func noteOpening(of socket: CInt) {
    attempt.isConnecting = true
    observe(.connecting)
    guard let connection = easy?.sockets?.noteOpening(of: socket, for: request.url) else { return }
    loop.origins.noteOpening(of: connection, for: self, now: loop.now)
  }

  /// Ends the transfer because its head begins with a continuation line; returns the result for libcurl's
  /// write callback.
  func rejectHead() -> Int {
    failure = .badServerResponse(reason: "its head begins with a continuation line")
    return 0
  }

  /// Processes bytes of the body; returns the result for libcurl's write callback, 0 to end the transfer.
  func receivedBody(_ bytes: UnsafeRawBufferPointer) -> Int {
    loop.multi.watchdog.noteProgress()
    lastActivity = loop.now
    reception.downloadedAtLastCheck = easy?.offset(CCURLINFO_SIZE_DOWNLOAD_T) ?? 0
    guard !bytes.isEmpty else { return 0 }
    // Before a pause, which may last until the head has arrived.
    if let received = reception.challenge.take() {
      reception.head.isProvisional = false
      (attempt.count, attempt.hasResponse) = (1, true)
      pendingEvents.head = received
      loop.batch.add(self)
    }
    // Bytes that follow deferred bytes must wait as well. After the call that ended a pause, libcurl (8.16) has
    // been observed to deliver data of a stream that was paused; it keeps the data if the callback pauses here.
    if pauses.deferredBytes != nil { return pauses.isResuming ? deferBytes(bytes) : pauseReceiving() }
    return process(bytes)
  }

  /// Processes bytes of the body that need not wait; returns the result for libcurl's write callback.
  func process(_ bytes: UnsafeRawBufferPointer) -> Int {
    if discardsBody { return discard(bytes) }
    if mustDecode { return decode(bytes) }
    if holdIfNeeded() { return pauses.isResuming ? deferBytes(bytes) : pauseReceiving() }
    return store(bytes) ? bytes.count : 0
  }

  /// Whether the body is that of a redirect to follow, which is read only so that the connection can be kept.
  private var discardsBody: Bool { request.ignoresRedirectBodies && reception.head.isRedirect }

  private func discard(_ bytes: UnsafeRawBufferPointer) -> Int {
    reception.bodyBytes += bytes.count
    guard reception.bodyBytes > RedirectPolicy.bodyLimit else { return bytes.count }
    failure = RedirectPolicy.bodyTooLong
    return 0
  }

  /// Whether the body must be decoded.
  ///
  /// A caller that names the codings it accepts gets a body that cannot be decoded as it is. Every caller gets a part of
  /// an encoded body as it is, because its range counts encoded bytes (RFC 9110, section 14.2). The body of a
  /// redirect must not prevent it from being followed.
  private var mustDecode: Bool {
    guard reception.head.isEncoded else { return false }
    let mayBeEncoded =
      reception.head.isRedirect || reception.head.status == 206 || request.headers["Accept-Encoding"] != nil
    return !(reception.head.isDecodableByReceiver && mayBeEncoded)
  }

  /// Makes libcurl pause the transfer and deliver the bytes again when it resumes; returns the result for its
  /// write callback.
  private func pauseReceiving() -> Int {
    if reception.isMultiplexed { easy?.limitsWindow = true }
    return CCURL_WRITEFUNC_PAUSE
  }

  /// Decodes bytes of the body piece by piece, so that no more decoded bytes are in memory than may be
  /// delivered at once.
  ///
  /// During a pause, libcurl keeps all of the bytes, and delivers them again afterwards.
  private func decode(_ bytes: UnsafeRawBufferPointer) -> Int {
    do throws(TransferError) {
      let decoder = try startedDecoder()
      var rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(reception.decodedAhead))
      while true {
        if holdIfNeeded() {
          if pauses.isResuming {
            reception.decodedAhead = max(0, reception.decodedAhead - bytes.count)
            _ = deferBytes(rest)
            return bytes.count
          }
          reception.decodedAhead = max(reception.decodedAhead, bytes.count - rest.count)
          return pauseReceiving()
        }
        let count = try decoder.decode(&rest, into: loop.decodingBuffer.bytes)
        loop.multi.watchdog.noteProgress()
        guard count > 0 else { break }
        guard store(UnsafeRawBufferPointer(rebasing: loop.decodingBuffer.bytes.prefix(count))) else {
          return 0
        }
      }
      reception.decodedAhead = max(0, reception.decodedAhead - bytes.count)
      return bytes.count
    } catch {
      failure = error
      return 0
    }
  }

  private func startedDecoder() throws(TransferError) -> BodyDecoder {
    if let decoder = reception.decoder { return decoder }
    let made = try BodyDecoder(reception.head)
    reception.decoder = made
    return made
  }

  /// Stores bytes for delivery; returns `false` to end the transfer.
  private func store(_ bytes: UnsafeRawBufferPointer) -> Bool {
    reception.bodyBytes += bytes.count
    loop.batch.add(self)
    if let limit = request.responseBodyLimit, reception.bodyBytes > limit {
      failure = .responseTooLarge(limit: limit)
      return false
    }
    pendingEvents.append(bytes)
    return true
  }

  /// Notes that libcurl must hold back the next bytes of the body, if they have to wait until the receiver
  /// resumes or the received bytes are delivered; returns whether they have to.
  private func holdIfNeeded() -> Bool {
    if pauses.bypassesPauses { return false }
    let isHeld = !paused.load(ordering: .sequentiallyConsistent)
    guard !isHeld || mustHoldForDelivery else { return false }
    pauses.isReceivingPaused = true
    if isHeld {
      pauses.isHeldForDelivery = true
      loop.batch.add(self)
    }
    return true
  }

  /// Whether libcurl must stop until the received bytes are delivered: it reads up to a hundred buffers in a
  /// row from a fast sender, a few bytes may decode to very many, and the receiver may be slow.
  ///
  /// The limit is higher for HTTP/2 and HTTP/3, except for an encoded body: a stream has its own window,
  /// which each pause would change.
  private var mustHoldForDelivery: Bool {
    let limit =
      reception.isMultiplexed && !reception.head.isEncoded
      ? CurlTransport.streamDeliveryLimit : CurlTransport.deliveryLimit
    return (pendingEvents.body?.count ?? 0) + eventQueue.bodyCount >= limit
  }

  /// Ends the body of a request to switch protocols if the response is another one: no bytes would ever follow,
  /// and libcurl would wait for them.
  private func endUpload(ifRefusedWith status: Int) {
    upload.isOver = status != 101
    if upload.isOver { postResume() }
  }

  /// Reads the request body; returns the result for libcurl's read callback.
  func readBody(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    loop.multi.watchdog.noteProgress()
    guard !upload.isOver else {
      pauses.isSendingPaused = false
      return 0
    }
    do throws(TransferError) {
      let count = try body?.read(into: buffer) ?? CCURL_READFUNC_PAUSE
      pauses.isSendingPaused = count == CCURL_READFUNC_PAUSE
      if count == 0 { observeEnd() }
      return count
    } catch {
      failure = error
      return CCURL_READFUNC_ABORT
    }
  }

  func seekBody(to offset: Int64) -> Bool {
    do throws(TransferError) {
      try body?.seek(to: offset)
      return true
    } catch {
      failure = error
      return false
    }
  }

  /// Notes that libcurl has made progress with the transfer.
  func madeProgress(uploaded: Int64) {
    noteCloseNotify()
    if uploaded != upload.sent {
      upload.sent = uploaded
      lastActivity = loop.now
      loop.multi.noteSent()
      observeSent(uploaded)
      reportSent(uploaded)
    }
    if reception.head.isClosed, body != nil { loop.earlyResponses.note(self) }
  }

  /// Records how the connection ended, which may show whether the body is complete.
  private func noteCloseNotify() {
    guard reception.closeNotify != nil, let end = easy?.closeNotify, end != CCURL_CLOSE_NOTIFY_UNKNOWN else {
      return
    }
    reception.closeNotify = end
  }

  private func reportSent(_ count: Int64) {
    // libcurl also counts the chunk framing.
    let count = min(count, body?.sendableCount ?? count)
    // Another attempt starts at zero; the reported count never decreases.
    guard count > reportedSent else { return }
    reportedSent = count
    guard request.reportsProgress else { return }
    pendingEvents.sent = (count, body?.length)
    loop.batch.add(self)
  }
}
