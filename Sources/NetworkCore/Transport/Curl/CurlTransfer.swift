internal import CCurl
internal import Foundation
internal import Synchronization

/// A transfer: the token that its caller holds, and what the loop's thread knows of it.
///
/// Sendable although it has mutable properties: `cancelled` and `paused` are atomic, `handover` has a lock, `handler` is touched by the
/// thread that delivers alone, of which `handover` admits one at a time, and all others are touched by the
/// loop's thread alone, which gets the object through the loop's inbox and its lock.
final class CurlTransfer: Transfer, @unchecked Sendable {
  let loop: CurlLoop
  private let cancelled = Atomic(false)
  let paused = Atomic(false)
  @exclusivity(unchecked) private var handler: (@Sendable (TransferEvent) -> Void)?
  /// Whether the handler is called on the loop's thread.
  let deliversOnLoop: Bool
  /// What the thread that delivers has been given, and has not delivered.
  let handover = EventHandover()

  /// What is being sent: the request, or what a redirect made of it.
  @exclusivity(unchecked) private(set) var request: TransportRequest
  var redirects = 0
  /// How often libcurl was about to send the current request since the last challenge.
  var attempts = 0
  /// Whether that was over a connection that had been used before: the last time, and at least once.
  var wasOnKeptConnection = false
  var hasBeenOnKeptConnection = false
  /// Whether libcurl has opened a socket since it was last about to send the request.
  var isConnecting = false
  /// Whether anything of an answer has come since the last challenge.
  var hasAnswer = false
  /// How often the server has left the connection before it answered the current request.
  var departures = 0
  /// Whether the connection that libcurl had kept is none to use, and another is to be opened.
  var changesConnection = false
  /// Whether the current request must not go over a connection that has been used.
  var needsNewConnection = false
  /// The body of the current request, as far as it has been read; `nil` where it has none.
  @exclusivity(unchecked) var body: BodyCursor?
  /// The number of the work that opens the file to send; `nil` if the transfer does not wait for that.
  var opening: UInt64?
  /// Whether libcurl holds back what has arrived.
  var isReceivingPaused = false
  /// Whether that is so until what has arrived has been delivered, which `handover` does not know yet.
  var isHeldForDelivery = false
  /// The bytes that libcurl has handed out and that have to wait; `nil` unless `isReceivingPaused`.
  ///
  /// None at all if what has been unpacked of them is still to be taken.
  @exclusivity(unchecked) var withheld: Data?
  /// How many of the bytes that are being taken are withheld again.
  var leftWithheld: Int?
  /// Whether the write callback must not pause the transfer: libcurl, or what it has handed out, is told to go on.
  var isGoingOn = false
  var isTakingWithheld = false
  /// Whether all of the answer has come, so that nothing of it waits any longer.
  var takesAll = false
  /// Whether libcurl waits for more of the body.
  var isSendingPaused = false
  /// Why a callback ended the transfer.
  var failure: TransferError?

  /// Where the transfer stands in the loop's `IdleClock`; `nil` while it is not on the wire.
  var index: Int?
  /// Its place among the requests to its origin.
  @exclusivity(unchecked) var place = OriginPlace()
  /// Its links among the transfers on its connection, if others may share it.
  var connectionPlace: SharedConnections.Place?
  /// Its handle while it is on the wire.
  var easy: CurlEasy?
  /// How long it may take.
  private(set) var limits: TransferLimits
  /// Whether a byte of an answer has come, of this request or of one before a redirect.
  var hasFirstByte = false
  /// When bytes last came or went, in nanoseconds of the loop's clock.
  var lastActivity: UInt64 = 0
  /// The bytes downloaded, as counted when events were last handed over or the deadline was looked at.
  var downloadedAtLastLook: Int64 = 0
  /// Whether the loop has been told that there are events to hand over.
  var isPending = false
  /// Whether the transfer has ended.
  private var isOver = false

  // Without checks: used by one thread alone, and several times for each transfer.
  @exclusivity(unchecked) var head = HeadLines()
  /// Whether the answer comes over HTTP/2 or HTTP/3, on a stream of a connection that others may share.
  var isMultiplexed = false
  /// Whether the end of a secure connection ends the body, and what the other side has said of it.
  var secureEnd: ccurl_end?
  /// What unpacks the body, from its first byte on; `nil` for one that is not packed.
  @exclusivity(unchecked) var unpacker: BodyUnpacker?
  /// How many of the bytes that libcurl holds back have been unpacked: it hands all of them out again.
  var unpackedAhead = 0
  /// What has happened and has not been handed over yet.
  @exclusivity(unchecked) var undelivered = UndeliveredEvents()
  /// How much of the current request's body has been sent, as libcurl counts it.
  var uploaded: Int64 = 0
  /// The most that has been reported as sent.
  var sentSoFar: Int64 = 0
  /// Whether the loop has been told that the answer comes while the body may still be on its way.
  var isEarly = false
  /// Whether all of the answer had come at a time when the body was still on its way.
  var isAnswered = false
  /// How much of what was sent the server had taken at the last look, of a transfer that has been answered, and when that had grown.
  var acknowledged: (count: Int64, time: UInt64) = (0, 0)
  var headBytes = 0
  /// The values of `Alt-Svc` in the head that is arriving.
  var advertised: String?
  /// How many lines of fields the heads of the answer have had so far.
  var fieldCount = 0
  var bodyBytes = 0
  /// The head of an answer that asks for another request, and what came of its body.
  var redirectHead: ResponseHead?
  /// How often the server has asked for credentials.
  var challenges = 0
  /// Whether the server does not do what the request expects (417), which is the answer.
  var isUnexpected = false
  /// The head of a 401, or another, that libcurl may yet answer.
  var challenge: ResponseHead?
  var redirectBody = Data()

  init(
    request: TransportRequest, loop: CurlLoop, handler: @escaping @Sendable (TransferEvent) -> Void
  ) {
    self.request = request
    self.loop = loop
    deliversOnLoop = request.deliversOnLoop
    limits = TransferLimits(idle: request.idleTimeout, timeouts: loop.timeouts, start: 0)
    self.handler = handler
  }

  /// Why the request must not be sent, if it must not; asked before the loop gets the transfer.
  func admit() -> TransferError? { request.admit() }

  var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

  func cancel() {
    let already = cancelled.exchange(true, ordering: .acquiringAndReleasing)
    guard !already else { return }
    loop.post(.cancel(self))
    deliverKeptEvents()
  }

  func pause() {
    paused.store(true, ordering: .sequentiallyConsistent)
  }

  func resume() {
    guard paused.exchange(false, ordering: .sequentiallyConsistent) else { return }
    loop.post(.goOn(self))
    deliverKeptEvents()
  }

  /// Delivers what a pause has kept back.
  private func deliverKeptEvents() {
    // On the loop's thread nothing is kept back: what is on its way comes.
    if !deliversOnLoop, handover.resume() { loop.callbacks.call { [self] in deliver() } }
  }
}

// Called by the loop.
extension CurlTransfer {
  /// There may be more of the body to send, or room for more of the answer; returns why the transfer has to end.
  func goOn() -> TransferError? {
    guard isSendingPaused || isReceivingPaused, let easy else { return nil }
    if isReceivingPaused || isAnswered { lastActivity = loop.now }
    (isSendingPaused, isReceivingPaused) = (false, false)
    var code = takeWithheld()
    if code == CCURLE_OK, !isReceivingPaused {
      easy.limitsWindow = false
      isGoingOn = easy.library.losesWhatIsPausedAgain
      // In both directions: one that still has to wait says so again.
      code = easy.goOn()
      isGoingOn = false
    }
    if code == CCURLE_OK, isReceivingPaused {
      if isMultiplexed { easy.limitsWindow = true }
      if withheld != nil { easy.pauseReceiving(isSendingPaused: isSendingPaused) }
    }
    return code == CCURLE_OK ? nil : TransferError(code: code, easy: easy, transfer: self)
  }

  /// The transfer begins.
  func begin(now: UInt64) {
    lastActivity = now
    limits = TransferLimits(idle: request.idleTimeout, timeouts: loop.timeouts, start: now)
  }

  private var nextLimit: (limit: TransferTimeout, time: UInt64) {
    // What is held back for a receiver that does not keep up is not idle.
    let lastActivity = isReceivingPaused ? loop.now : lastActivity
    let next = limits.next(
      lastActivity: lastActivity, hasFirstByte: hasFirstByte, connectingSince: place.start)
    guard isAnswered else { return next }
    // What waits for its own body goes on sending: the server may well take it.
    let end =
      (isSendingPaused ? loop.now : max(lastActivity, acknowledged.time)) + CurlTransport.answeredLimit
    return end < next.time ? (.idle, end) : next
  }

  /// When the transfer will have taken too long, in nanoseconds of the loop's clock.
  var deadline: UInt64 { nextLimit.time }

  /// The limit that the transfer has passed, if it has.
  func limitPassed(now: UInt64) -> TransferTimeout? {
    noteAcknowledgements()
    let next = nextLimit
    guard next.time <= now, next.limit != .idle || !noteUnseenActivity() else { return nil }
    return next.limit
  }

  /// Whether the transfer has not been told to wait.
  var isRunning: Bool { !isSendingPaused && !isReceivingPaused }

  /// Takes down what the transfer took, before the handle goes to another.
  func noteMetrics(_ easy: CurlEasy) {
    if request.reportsMetrics { undelivered.metrics = TransferMetrics(easy, redirects: redirects) }
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

  /// Why an answer that has ended well for libcurl is not whole.
  var shortfall: TransferError? {
    if endsWithProbe {
      let reason = "the proxy was asked without the body which credentials it wants, and wants none"
      return .cannotConnect(url: request.url, reason: reason)
    }
    if secureEnd == CCURL_END_NOT_SAID {
      return .truncatedBody(
        reason:
          "the secure connection ended without a word, after \(bodyBytes) bytes of a body without a length")
    }
    // A part of a packed body has no end of its own.
    guard let unpacker, !unpacker.isWhole, head.status != 206 else { return nil }
    return .truncatedBody(reason: "what is packed in it stops early, \(bodyBytes) bytes unpacked")
  }

  /// Watches the end of the body that follows a head, where libcurl does not.
  func watchEnd(_ easy: CurlEasy) {
    secureEnd = nil
    guard easy.isSecure, !isMultiplexed, head.isOpenEnded, request.method != .head else { return }
    secureEnd = CCURL_END_UNKNOWN
    // libcurl tells of progress until right before it closes the connection.
    easy.set(CCURLOPT_NOPROGRESS, 0)
  }

  /// Whether the head of the answer has arrived whole.
  var hasHead: Bool { head.isClosed }

  /// Hands over what has happened since the last call.
  func handOverEvents() {
    isPending = false
    // libcurl counts what it hands out after it has; what has been noted must not be taken for unseen when the time is over.
    if let easy { downloadedAtLastLook = easy.offset(CCURLINFO_SIZE_DOWNLOAD_T) }
    let (delivers, goesOn) = handover.put(&undelivered, isHolding: isHeldForDelivery)
    isHeldForDelivery = false
    if goesOn { loop.post(.goOn(self)) }
    if delivers { loop.deliver(self) }
  }

  /// Hands over the last event; once `cancel()` has been called, that is `.cancelled`, whatever else came of it.
  func finish(_ error: TransferError?) {
    guard !isOver else { return }
    isOver = true
    if let received = challenge.take(), error == nil { undelivered.head = received }
    undelivered.end = UndeliveredEvents.End(error: error)
    // A token that is kept must not keep the body, nor files open.
    body = nil
    unpacker = nil
    request.body = .none
    handOverEvents()
  }

  /// Turns the request into the one that a redirect asks for; returns `false` where the redirect is the answer.
  func follow(_ location: String) throws(TransferError) -> Bool {
    let policy = loop.redirects
    guard redirects < policy.limit else { throw .tooManyRedirects(limit: policy.limit) }
    if let broken = head.brokenLocation {
      throw .redirectRefused(url: broken, reason: "it is not a valid URL")
    }
    // libcurl (7.88) appends a fragment to the folder that the resource is in (RFC 3986, section 5.2.2).
    let target =
      head.hasFragmentAlone
      ? request.url.withoutFragment + Substring(location.utf8.drop { $0 != UInt8(ascii: "#") })
      : UnixSocketURL(request.url)?.resolve(location) ?? location
    var next = try request.redirected(
      status: head.status, to: target, allowsDowngrade: policy.allowsDowngrade)
    if let change = policy.change, let answer = redirectHead {
      guard var changed = change(next, answer) else {
        if let limit = request.responseBodyLimit, redirectBody.count > limit {
          throw .responseTooLarge(limit: limit)
        }
        undelivered.head = answer
        if !redirectBody.isEmpty { undelivered.body = redirectBody }
        return false
      }
      if let error = changed.admit() { throw error }
      next = changed.withoutCredentials(of: next)
    }
    redirects += 1
    redirectBody = Data()
    challenge = nil
    if next.body == request.body { try body?.seek(to: 0) } else { body = nil }
    request = next
    head = HeadLines()
    forgetAttempts()
    departures = 0
    needsNewConnection = false
    isSendingPaused = false
    withheld = nil
    (headBytes, fieldCount) = (0, 0)
    bodyBytes = 0
    downloadedAtLastLook = 0
    secureEnd = nil
    challenges = 0
    return true
  }

  /// Whether the answer that has arrived asks for another request.
  var isRedirected: Bool { head.isRedirect }

  /// Whether the request is the one that a redirect has made.
  var isAfterRedirect: Bool { redirects > 0 }
}

// Called by the thread that delivers.
extension CurlTransfer {
  /// Calls the handler with what has been handed over.
  func deliver() {
    loop.flushStarts()
    while let (event, goesOn) = handover.next(
      isCancelled: { isCancelled },
      isPaused: { !deliversOnLoop && paused.load(ordering: .sequentiallyConsistent) })
    {
      if goesOn { loop.post(.goOn(self)) }
      guard case .finished = event else {
        handler?(event)
        continue
      }
      // The handler goes before it is called, so that whatever it holds goes with it.
      handler.take()?(event)
      return loop.noteEnd()
    }
  }
}
