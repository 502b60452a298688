internal import CNetworkCoreCurl
internal import Foundation
internal import Synchronization

/// A transfer: the token that its caller holds, and its state on the loop's thread.
///
/// Sendable despite its mutable properties: `cancelled` and `paused` are atomic, and `eventQueue` has a lock.
/// Only the delivering thread accesses `handler`, and `eventQueue` allows one such thread at a time. Only the
/// loop's thread accesses all other properties; it receives the object through the loop's inbox and its lock.
final class CurlTransfer: Transfer, @unchecked Sendable {
  let loop: CurlLoop
  private let cancelled = Atomic(false)
  let paused = Atomic(false)
  @exclusivity(unchecked) private var handler: (@Sendable (TransferEvent) -> Void)?
  /// Whether the handler is called on the loop's thread.
  let deliversOnLoop: Bool
  /// Delivers events to the observers of the request, if there are any.
  let observer: (any TransferObserver)?
  /// The events that have been passed to the delivering thread and not yet delivered.
  let eventQueue = TransferEventQueue()

  /// The current request: the caller's, or the one after a redirect.
  @exclusivity(unchecked) private(set) var request: TransportRequest
  var redirectCount = 0
  /// How many times libcurl was about to send the current request since the last challenge.
  var attemptCount = 0
  /// Whether the last attempt was on a reused connection; below, whether any attempt was.
  var wasOnReusedConnection = false
  var hasBeenOnReusedConnection = false
  /// Whether libcurl has opened a socket since it was last about to send the request.
  var isConnecting = false
  /// Whether any part of a response has arrived since the last challenge.
  var hasResponse = false
  /// How many times the server has left the connection before it responded to the current request.
  var goAwayCount = 0
  /// Whether the connection that libcurl had kept is unusable, so that another must be opened.
  var changesConnection = false
  /// Whether the current request must not use a reused connection.
  var needsNewConnection = false
  /// The body of the current request with its read position; `nil` if it has none.
  @exclusivity(unchecked) var body: RequestBodyReader?
  /// The work that opens the body; `nil` if the transfer does not wait for it.
  var opening: (pool: BlockingWorkPool, number: Int)?
  /// Whether libcurl holds back received data.
  var isReceivingPaused = false
  /// Whether it does so until the received data has been delivered; `false` again once `eventQueue` has
  /// recorded it.
  var isHeldForDelivery = false
  /// The bytes that libcurl has delivered and that must wait; `nil` unless `isReceivingPaused`.
  ///
  /// Empty if only decoded bytes of them remain to be processed.
  @exclusivity(unchecked) var deferredBytes: Data?
  /// How many of the bytes being processed are deferred again.
  var deferredAgainCount: Int?
  /// Whether the write callback must not pause the transfer, because a pause of libcurl or of deferred bytes
  /// is being ended.
  var isResuming = false
  var isProcessingDeferred = false
  /// Whether the whole response has arrived, so that nothing of it has to wait any longer.
  var bypassesPauses = false
  /// Whether libcurl waits for more of the body.
  var isSendingPaused = false
  /// The reason why a callback ended the transfer.
  var failure: TransferError?

  /// The index in the loop's `DeadlineHeap`; `nil` if the transfer is not there.
  var index: Int?
  /// The options of the current request.
  var profile: CurlProfile?
  /// The transfer's position among the requests to its origin.
  @exclusivity(unchecked) var queuePosition = OriginQueuePosition()
  /// The links among the transfers on its connection, if several may share it.
  var connectionLinks: Connection.Links?
  /// The handle while libcurl handles the transfer.
  var easy: CurlEasy?
  /// The time limits.
  private(set) var limits: TransferTimeLimits
  /// Whether a byte of a response has arrived, for this request or one before a redirect.
  var hasFirstByte = false
  /// The time when bytes were last sent or received, in nanoseconds of the loop's clock.
  var lastActivity: UInt64 = 0
  /// The number of bytes downloaded when events were last queued or the deadline was checked.
  var downloadedAtLastCheck: Int64 = 0
  /// Whether the loop knows that there are events to queue.
  var isPending = false
  /// Whether the transfer has ended.
  private(set) var isOver = false

  // Without exclusivity checks: used by one thread only, and several times for each transfer.
  @exclusivity(unchecked) var head = ResponseHeadBuffer()
  /// Whether the response arrives over HTTP/2 or HTTP/3, on a stream of a connection that may be shared.
  var isMultiplexed = false
  /// How the other side has ended a secure connection; `nil` unless the end of the connection ends the body.
  var closeNotify: ccurl_close_notify?
  /// The decoder of the body, from its first byte on; `nil` if the body is not encoded.
  @exclusivity(unchecked) var decoder: BodyDecoder?
  /// How many of the bytes that libcurl holds back have been decoded; libcurl will deliver all of them again.
  var decodedAhead = 0
  /// The events that are not in `eventQueue` yet.
  @exclusivity(unchecked) var pendingEvents = PendingEvents()
  /// The number of bytes of the current request's body that have been sent, as libcurl counts them.
  var uploaded: Int64 = 0
  /// The greatest count that has been reported as sent.
  var reportedSent: Int64 = 0
  /// Whether the loop knows that the response is arriving while the body may still be in transit.
  var isInEarlyResponses = false
  /// Whether the whole response arrived while the body was still in transit.
  var isResponseComplete = false
  /// For a transfer whose response is complete: how many sent bytes the server had acknowledged at the last
  /// check, and when the count last grew.
  var acknowledged: (count: Int64, time: UInt64) = (0, 0)
  var headBytes = 0
  /// The `Alt-Svc` values of the head that is arriving.
  var advertisedServices: String?
  /// The number of field lines in the heads of the response so far.
  var fieldCount = 0
  var bodyBytes = 0
  /// The head of a redirect; its body is in `redirectBody`.
  var redirectHead: ResponseHead?
  /// How many times the server has requested credentials.
  var challengeCount = 0
  /// Whether the server rejects the request's expectation (417), which is then the final response.
  var expectationFailed = false
  /// The head of a 401, or of another response, after which libcurl may still send another request.
  var challenge: ResponseHead?
  var redirectBody = Data()

  init(
    request: TransportRequest, loop: CurlLoop, handler: @escaping @Sendable (TransferEvent) -> Void
  ) {
    self.request = request
    self.loop = loop
    deliversOnLoop = request.deliversOnLoop
    observer = request.observer
    limits = TransferTimeLimits(idle: request.idleTimeout, timeouts: loop.timeouts, start: 0)
    self.handler = handler
  }

  /// Validates the request before the loop gets the transfer; returns the reason why it must not be sent, if
  /// there is one.
  func normalizeAndValidate() -> TransferError? { request.normalizeAndValidate() }

  var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

  func cancel() {
    let already = cancelled.exchange(true, ordering: .acquiringAndReleasing)
    guard !already else { return }
    loop.post(.cancel(self))
    deliverHeldEvents()
  }

  func pause() {
    paused.store(true, ordering: .sequentiallyConsistent)
  }

  func resume() {
    guard paused.exchange(false, ordering: .sequentiallyConsistent) else { return }
    loop.post(.resume(self))
    deliverHeldEvents()
  }

  /// Delivers the events that a pause has held back.
  private func deliverHeldEvents() {
    // A transfer that delivers on the loop's thread holds nothing back: events in transit are delivered.
    if !deliversOnLoop, eventQueue.resume() { loop.callbacks.call { [self] in deliver() } }
  }
}

// Called by the loop.
extension CurlTransfer {
  /// Resumes in both directions, because there may be more of the body to send or room for more of the
  /// response; returns the reason why the transfer must end, if there is one.
  func unpause() -> TransferError? {
    guard isSendingPaused || isReceivingPaused, let easy else { return nil }
    if isReceivingPaused || isResponseComplete { lastActivity = loop.now }
    (isSendingPaused, isReceivingPaused) = (false, false)
    var code = processDeferredBytes()
    if code == CCURLE_OK, !isReceivingPaused {
      easy.limitsWindow = false
      isResuming = easy.library.defects.losesDataPausedAgain
      // In both directions: a direction that still has to wait pauses again.
      code = easy.unpause()
      isResuming = false
    }
    if code == CCURLE_OK, isReceivingPaused {
      if isMultiplexed { easy.limitsWindow = true }
      if deferredBytes != nil { easy.pauseReceiving(isSendingPaused: isSendingPaused) }
    }
    return code == CCURLE_OK ? nil : TransferError(code: code, easy: easy, transfer: self)
  }

  /// Starts the clocks of the transfer.
  func begin(now: UInt64) {
    lastActivity = now
    limits = TransferTimeLimits(idle: request.idleTimeout, timeouts: loop.timeouts, start: now)
  }

  private var nextLimit: (limit: TransferTimeout, time: UInt64) {
    // A transfer that is held back for a slow receiver is not idle.
    let lastActivity = isReceivingPaused ? loop.now : lastActivity
    let next = limits.next(
      lastActivity: lastActivity, hasFirstByte: hasFirstByte, connectingSince: queuePosition.start)
    guard isResponseComplete else { return next }
    // A transfer that waits for its own body continues to send, because the server may still accept it.
    let end =
      (isSendingPaused ? loop.now : max(lastActivity, acknowledged.time)) + CurlTransport.earlyResponseLimit
    return end < next.time ? (.idle, end) : next
  }

  /// The time at which the transfer exceeds a limit, in nanoseconds of the loop's clock.
  var deadline: UInt64 { nextLimit.time }

  /// Notes what the transfer has done since the last check, and returns the limit that it has exceeded, if
  /// there is one.
  func checkLimits(now: UInt64) -> TransferTimeout? {
    noteAcknowledgements()
    let next = nextLimit
    guard next.time <= now, next.limit != .idle || !noteUnseenActivity() else { return nil }
    return next.limit
  }

  /// Whether the transfer is not paused in either direction.
  var isRunning: Bool { !isSendingPaused && !isReceivingPaused }

  /// Records the metrics before the handle is used for another transfer.
  func noteMetrics(_ easy: CurlEasy) {
    if request.reportsMetrics { pendingEvents.metrics = TransferMetrics(easy, redirects: redirectCount) }
  }

  /// Whether bytes have arrived that no callback has reported, such as those of a compressed body that do not
  /// yet decode to anything.
  private func noteUnseenActivity() -> Bool {
    guard let downloaded = easy?.offset(CCURLINFO_SIZE_DOWNLOAD_T), downloaded > downloadedAtLastCheck else {
      return false
    }
    downloadedAtLastCheck = downloaded
    lastActivity = loop.now
    return true
  }

  /// The reason why a response that libcurl considers complete is not; `nil` if it is complete.
  var completionError: TransferError? {
    if endsWithProbe {
      let reason =
        "the request was first sent without its body to learn the proxy's challenge, and the proxy has none"
      return .cannotConnect(url: request.url, reason: reason)
    }
    if closeNotify == CCURL_CLOSE_NOTIFY_MISSING {
      return .truncatedBody(
        reason:
          "the TLS connection ended without close_notify, after \(bodyBytes) bytes of a body without length")
    }
    // A part of an encoded body need not end with the encoding's own end.
    guard let decoder, !decoder.isWhole, head.status != 206 else { return nil }
    return .truncatedBody(reason: "the encoded data ends early, after \(bodyBytes) decoded bytes")
  }

  /// Watches the end of the body that follows a head, if libcurl does not.
  func observeCloseNotify(_ easy: CurlEasy) {
    closeNotify = nil
    guard easy.applied.isSecure, !isMultiplexed, head.isOpenEnded, request.method != .head else { return }
    closeNotify = CCURL_CLOSE_NOTIFY_UNKNOWN
    // libcurl reports progress until right before it closes the connection.
    easy.set(CCURLOPT_NOPROGRESS, 0)
  }

  /// Whether the head of the response has arrived completely.
  var hasHead: Bool { head.isClosed }

  /// Adds the new events to `eventQueue`.
  func enqueueEvents() {
    isPending = false
    // libcurl counts bytes after it has delivered them. Bytes already noted must not count as unseen activity
    // when the limit expires.
    if let easy { downloadedAtLastCheck = easy.offset(CCURLINFO_SIZE_DOWNLOAD_T) }
    let (mustDeliver, mayResume) = eventQueue.enqueue(&pendingEvents, isHolding: isHeldForDelivery)
    isHeldForDelivery = false
    if mayResume { loop.post(.resume(self)) }
    if mustDeliver { loop.deliver(self) }
  }

  /// Queues the end for delivery; after `cancel()` it is `.cancelled`, whatever the result.
  func finish(_ error: TransferError?) {
    guard !isOver else { return }
    isOver = true
    if let received = challenge.take(), error == nil { pendingEvents.head = received }
    pendingEvents.end = PendingEvents.End(error: error)
    // A token that the caller keeps must not keep the body alive or files open.
    body = nil
    decoder = nil
    request.body = .none
    enqueueEvents()
  }

  /// Returns the request to send after a redirect.
  func redirected(to location: String) throws(TransferError) -> TransportRequest {
    let policy = loop.redirectPolicy
    guard redirectCount < policy.limit else { throw .tooManyRedirects(limit: policy.limit) }
    if let broken = head.invalidLocation {
      throw .redirectRefused(url: broken, reason: "it is not a valid URL")
    }
    // libcurl (7.88, but not 8.12) resolves a lone fragment against the folder of the resource instead of the
    // resource (RFC 3986, section 5.2.2).
    let target =
      head.isFragmentOnly
      ? request.url.withoutFragment + Substring(location.utf8.drop { $0 != UInt8(ascii: "#") })
      : UnixSocketURL(request.url)?.resolve(location) ?? location
    return try request.redirected(
      status: head.status, to: target, allowsDowngrade: policy.allowsDowngrade)
  }

  /// Makes the redirect the response, with the body that has arrived.
  func keepRedirect() throws(TransferError) {
    if let limit = request.responseBodyLimit, redirectBody.count > limit {
      throw .responseTooLarge(limit: limit)
    }
    pendingEvents.head = redirectHead
    if !redirectBody.isEmpty { pendingEvents.body = redirectBody }
  }

  /// Replaces the request with the one to send after a redirect.
  func follow(_ next: TransportRequest) throws(TransferError) {
    observe(.redirected(to: next.url, statusCode: head.status))
    redirectCount += 1
    redirectBody = Data()
    challenge = nil
    if next.body == request.body { try body?.seek(to: 0) } else { body = nil }
    request = next
    pendingEvents.metrics = nil
    lastActivity = loop.now
    head = ResponseHeadBuffer()
    resetAttempts()
    goAwayCount = 0
    needsNewConnection = false
    isSendingPaused = false
    deferredBytes = nil
    (headBytes, fieldCount) = (0, 0)
    bodyBytes = 0
    downloadedAtLastCheck = 0
    closeNotify = nil
    challengeCount = 0
  }

  /// Whether the response is a redirect to follow.
  var isRedirected: Bool { head.isRedirect }

  /// Whether the request is the result of a redirect.
  var isAfterRedirect: Bool { redirectCount > 0 }
}

// Called by the delivering thread.
extension CurlTransfer {
  /// Calls the handler with the queued events.
  func deliver() {
    while let (event, mayResume) = eventQueue.next(
      isCancelled: { isCancelled },
      isPaused: { !deliversOnLoop && paused.load(ordering: .sequentiallyConsistent) })
    {
      if mayResume { loop.post(.resume(self)) }
      guard case .finished = event else {
        handler?(event)
        continue
      }
      // Released before the call, so that everything that the handler holds is released with it.
      handler.take()?(event)
      return loop.noteEnd()
    }
  }
}
