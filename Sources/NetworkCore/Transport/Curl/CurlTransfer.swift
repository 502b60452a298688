internal import CCurl
internal import Foundation
internal import Synchronization

/// A transfer: the token that its caller holds, and what the loop's thread knows of it.
///
/// Sendable although it has mutable properties: `cancelled` and `paused` are atomic, and all others are touched by the
/// loop's thread alone, which gets the object through the loop's inbox and its lock.
final class CurlTransfer: Transfer, @unchecked Sendable {
  private let loop: CurlLoop
  private let cancelled = Atomic(false)
  private let paused = Atomic(false)
  private var handler: (@Sendable (TransferEvent) -> Void)?

  /// What is being sent: the request, or what a redirect made of it.
  private(set) var request: TransportRequest
  private var redirects = 0
  /// How often libcurl was about to send the current request.
  private var attempts = 0
  /// Whether the connection that libcurl had kept is none to use, and another is to be opened.
  private var changesConnection = false
  /// Whether the current request must not go over a connection that has been used.
  private(set) var needsNewConnection = false
  /// The body of the current request, as far as it has been read.
  private(set) var body: BodyCursor?
  /// Whether libcurl holds back what has arrived.
  private var isReceivingPaused = false
  /// Whether libcurl waits for more of the body.
  private var isSendingPaused = false
  /// Why a callback ended the transfer.
  private(set) var failure: TransferError?

  /// Where the transfer stands in the loop's `IdleClock`; `nil` while it is not on the wire.
  var index: Int?
  /// Its handle while it is on the wire.
  var easy: CurlEasy?
  /// How long it may take.
  private(set) var limits: TransferLimits
  /// Whether a byte of an answer has come, of this request or of one before a redirect.
  private var hasFirstByte = false
  private var metricsToDeliver: TransferMetrics?
  /// When bytes last came or went, in nanoseconds of the loop's clock.
  var lastActivity: UInt64 = 0
  /// The bytes downloaded, as counted at the last look at the deadlines.
  private var downloadedAtLastLook: Int64 = 0
  /// Whether the loop has been told that there are events to deliver.
  var isPending = false

  private var head = HeadLines()
  private var headToDeliver: ResponseHead?
  private var bodyToDeliver: Data?
  private var sentToDeliver: Int64?
  private var sentSoFar: Int64 = 0
  private var headBytes = 0
  private var bodyBytes = 0
  /// The head of an answer that asks for another request, and what came of its body.
  private var redirectHead: ResponseHead?
  /// The head of a 401 that libcurl may yet answer.
  private var challenge: ResponseHead?
  private var redirectBody = Data()

  init(
    request: TransportRequest, loop: CurlLoop, handler: @escaping @Sendable (TransferEvent) -> Void
  ) {
    self.request = request
    self.loop = loop
    limits = TransferLimits(idle: request.idleTimeout, timeouts: loop.timeouts, start: 0)
    self.handler = handler
  }

  var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

  func cancel() {
    let already = cancelled.exchange(true, ordering: .acquiringAndReleasing)
    if !already { loop.post(.cancel(self)) }
  }

  func pause() {
    paused.store(true, ordering: .sequentiallyConsistent)
  }

  func resume() {
    if paused.exchange(false, ordering: .sequentiallyConsistent) { loop.post(.goOn(self)) }
  }
}

// Called by libcurl, through `CurlCallbacks`.
extension CurlTransfer {
  /// Returns `false` to end the transfer.
  func receivedHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
    lastActivity = loop.now
    hasFirstByte = true
    headBytes += line.count
    guard headBytes <= CurlTransport.headLimit else {
      failure = .badServerResponse(reason: "its head has more than \(CurlTransport.headLimit) bytes")
      return false
    }
    guard let easy, head.append(line) else {
      failure = head.problem.map { .badServerResponse(reason: $0) }
      return failure == nil
    }
    let status = easy.long(CCURLINFO_RESPONSE_CODE)
    guard head.close(status: status, followsRedirects: loop.redirects.follows) else { return true }
    if status == 101, request.headers["Upgrade"] == nil {
      failure = .badServerResponse(reason: "it changes the protocol (101), which nobody has asked for")
      return false
    }
    let version = HTTPVersion(curl: easy.long(CCURLINFO_HTTP_VERSION))
    var received = ResponseHead(
      statusCode: status, url: request.url, httpVersion: version, fieldLines: head.take())
    if request.handsOverTransfer { received.transfer = self }
    if head.isRedirect {
      redirectHead = received
      return true
    }
    // libcurl answers a challenge without handing out the body of the 401: a body makes it the answer, or the end.
    head.isProvisional = easy.answersChallenges && status == 401
    challenge = head.isProvisional ? received : nil
    guard !head.isProvisional else { return true }
    headToDeliver = received
    loop.noteEvents(of: self)
    return true
  }

  /// Ends the transfer for a head that begins with a continued line; returns what libcurl's write callback has to.
  func refuseHead() -> Int {
    failure = .badServerResponse(reason: "its head begins with a continued line")
    return 0
  }

  /// Returns what libcurl's write callback has to; 0 ends the transfer.
  func receivedBody(_ bytes: UnsafeRawBufferPointer) -> Int {
    lastActivity = loop.now
    if head.isRedirect {
      bodyBytes += bytes.count
      // It is the answer if the redirect is not to be followed.
      if loop.redirects.change != nil { redirectBody.append(contentsOf: bytes) }
      return bodyBytes <= CurlTransport.redirectBodyLimit ? bytes.count : 0
    }
    // What is told of here must not be taken for unseen when the time is over.
    downloadedAtLastLook = easy?.offset(CCURLINFO_SIZE_DOWNLOAD_T) ?? 0
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return bytes.count }
    if paused.load(ordering: .sequentiallyConsistent) {
      isReceivingPaused = true
      return CCURL_WRITEFUNC_PAUSE
    }
    if let received = challenge.take() {
      head.isProvisional = false
      headToDeliver = received
    }
    bodyBytes += bytes.count
    if let limit = request.responseBodyLimit, bodyBytes > limit {
      failure = .responseTooLarge(limit: limit)
      return 0
    }
    if bodyToDeliver == nil {
      bodyToDeliver = Data(bytes: start, count: bytes.count)
      loop.noteEvents(of: self)
    } else {
      bodyToDeliver?.append(start.assumingMemoryBound(to: UInt8.self), count: bytes.count)
    }
    return bytes.count
  }

  /// Returns what libcurl's read callback has to.
  func readBody(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    do throws(TransferError) {
      let count = try body?.read(into: buffer) ?? CCURL_READFUNC_PAUSE
      isSendingPaused = count == CCURL_READFUNC_PAUSE
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

  func sent(_ count: Int64) {
    // libcurl counts what stands around chunks, too.
    let count = min(count, body?.sendableCount ?? count)
    // Sending again after a redirect starts at nothing; what is reported never goes back.
    guard count > sentSoFar else { return }
    lastActivity = loop.now
    sentSoFar = count
    guard request.reportsProgress else { return }
    sentToDeliver = count
    loop.noteEvents(of: self)
  }

  /// Whether libcurl may send the request, now that it has a connection: see `CurlEasy.prepare`.
  ///
  /// Not where something has come over that connection since the last answer: it would be taken for the answer to this
  /// request. Nothing of it has been sent then, so that it may go over another connection, whatever its method.
  func maySend(from port: Int) -> Bool {
    let isUsable = easy?.hasUnaskedBytes(port: port) != true
    attempts += 1
    guard attempts == 1 || request.method.isIdempotent || challenge != nil else { return false }
    changesConnection = !isUsable && !needsNewConnection
    return !changesConnection
  }
}

// Called by the loop.
extension CurlTransfer {
  /// Whether `code` came of the refusal to send a request twice.
  var wasRefusedToSendAgain: Bool { attempts > 1 && !request.method.isIdempotent }

  /// Whether the request is the one that a redirect has made.
  var isAfterRedirect: Bool { redirects > 0 }

  /// Makes the request ready for a new connection; returns `false` where it is not for that reason that it has ended.
  func changeConnection(after code: Int) throws(TransferError) -> Bool {
    guard code == CCURLE_ABORTED_BY_CALLBACK, changesConnection else { return false }
    (changesConnection, needsNewConnection) = (false, true)
    (attempts, isSendingPaused) = (0, false)
    challenge = nil
    try body?.seek(to: 0)
    return true
  }

  /// Opens the body, unless it is still open from before a redirect.
  func openBody() throws(TransferError) {
    guard body == nil else { return }
    body = try BodyCursor(
      request,
      more: { [weak self] in
        guard let self else { return }
        loop.post(.goOn(self))
      })
  }

  /// There may be more of the body to send, or room for more of the answer.
  func goOn() {
    guard isSendingPaused || isReceivingPaused, let easy else { return }
    if isReceivingPaused { lastActivity = loop.now }
    (isSendingPaused, isReceivingPaused) = (false, false)
    // In both directions: one that still has to wait says so again.
    easy.goOn()
  }

  /// The transfer begins.
  func begin(now: UInt64) {
    lastActivity = now
    limits = TransferLimits(idle: request.idleTimeout, timeouts: loop.timeouts, start: now)
  }

  private var nextLimit: (limit: TransferTimeout, time: UInt64) {
    // What is held back for a receiver that does not keep up is not idle.
    limits.next(lastActivity: isReceivingPaused ? loop.now : lastActivity, hasFirstByte: hasFirstByte)
  }

  /// When the transfer will have taken too long, in nanoseconds of the loop's clock.
  var deadline: UInt64 { nextLimit.time }

  /// The limit that the transfer has passed, if it has.
  func limitPassed(now: UInt64) -> TransferTimeout? {
    let next = nextLimit
    guard next.time <= now, next.limit != .idle || !noteUnseenActivity() else { return nil }
    return next.limit
  }

  /// Whether the transfer runs on a connection and has not been told to wait there.
  func isRunning(on connection: Int) -> Bool {
    !isSendingPaused && !isReceivingPaused && easy?.sharedConnection == connection
  }

  /// Takes down what the transfer took, before the handle goes to another.
  func noteMetrics(_ easy: CurlEasy) {
    if request.reportsMetrics { metricsToDeliver = TransferMetrics(easy, redirects: redirects) }
  }

  /// Whether bytes have come that no callback has told of, such as those of a compressed body that do not yet
  /// make up anything decoded.
  private func noteUnseenActivity() -> Bool {
    guard let downloaded = easy?.offset(CCURLINFO_SIZE_DOWNLOAD_T), downloaded > downloadedAtLastLook else {
      return false
    }
    downloadedAtLastLook = downloaded
    lastActivity = loop.now
    return true
  }

  /// Whether the head of the answer has arrived whole.
  var hasHead: Bool { head.isClosed }

  /// Hands out what has happened since the last call.
  func deliverEvents() {
    isPending = false
    if let sent = sentToDeliver.take(), !isCancelled {
      handler?(.sent(sent, of: body?.length))
    }
    if let head = headToDeliver.take(), !isCancelled { handler?(.head(head)) }
    if let body = bodyToDeliver.take(), !isCancelled { handler?(.body(body)) }
  }

  /// Hands out the last event; once `cancel()` has been called, that is `.cancelled`, whatever else came of it.
  func finish(_ error: TransferError?) {
    if let received = challenge.take(), error == nil { headToDeliver = received }
    deliverEvents()
    // The handler goes before it is called, so that nothing it does can bring about a second end, and with it
    // whatever it holds.
    guard let handler = handler.take() else { return }
    if let metrics = metricsToDeliver.take(), !isCancelled { handler(.metrics(metrics)) }
    // A token that is kept must not keep the body, nor files open.
    body = nil
    request.body = .none
    handler(.finished(isCancelled ? .cancelled : error))
  }

  /// Turns the request into the one that a redirect asks for; returns `false` where the redirect is the answer.
  func follow(_ location: String) throws(TransferError) -> Bool {
    let policy = loop.redirects
    guard redirects < policy.limit else { throw .tooManyRedirects(limit: policy.limit) }
    let target = UnixSocketURL(request.url)?.resolve(location) ?? location
    var next = try request.redirected(
      status: head.status, to: target, allowsDowngrade: policy.allowsDowngrade)
    if let change = policy.change, let answer = redirectHead {
      guard let changed = change(next, answer) else {
        if let limit = request.responseBodyLimit, redirectBody.count > limit {
          throw .responseTooLarge(limit: limit)
        }
        headToDeliver = answer
        if !redirectBody.isEmpty { bodyToDeliver = redirectBody }
        return false
      }
      if let error = changed.validate() { throw error }
      next = changed
    }
    redirects += 1
    redirectBody = Data()
    challenge = nil
    if next.body == request.body { try body?.seek(to: 0) } else { body = nil }
    request = next
    head = HeadLines()
    attempts = 0
    needsNewConnection = false
    isSendingPaused = false
    headBytes = 0
    bodyBytes = 0
    downloadedAtLastLook = 0
    return true
  }

  /// Whether the answer that has arrived asks for another request.
  var isRedirected: Bool { head.isRedirect }
}
