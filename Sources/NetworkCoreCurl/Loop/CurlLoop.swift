internal import CNetworkCoreCurl
internal import Dispatch
internal import Foundation
internal import ReactiveNetworkLock
internal import Synchronization

/// The thread that runs libcurl's multi handle.
///
/// Sendable despite its mutable properties: `inbox` guards the state that other threads access. Only the
/// loop's own thread accesses everything else, from `run()` down, and `init` does before that thread exists.
final class CurlLoop: @unchecked Sendable {
  private let inbox = LoopInbox()
  private let transfers = Atomic(0)
  private let library: CurlLibrary
  let multi: CurlMulti
  let origins: OriginQueueTable
  private let activity = LoopActivity()
  let profiles: CurlProfiles
  let timeouts: CurlConfiguration.Timeouts
  let redirectPolicy: RedirectPolicy
  let family: CurlConfiguration.Names.Family
  /// The advertised alternative services; `nil` if they are not used.
  @exclusivity(unchecked) var alternativeServices: AlternativeServiceCache?
  private let forkCount = ccurl_fork_count()

  // Without exclusivity checks, like everything that the loop's thread uses several times for each transfer.
  private var commands = Queue<LoopInbox.Command>()
  @exclusivity(unchecked) private var active = DeadlineHeap()
  @exclusivity(unchecked) private var idleHandles: [CurlEasy] = []
  /// The connections of cancelled streams whose resets have not been sent yet.
  private var connectionsToFlush: [Connection] = []
  @exclusivity(unchecked) private var transfersWithEvents: [CurlTransfer] = []
  private var enqueuing: [CurlTransfer] = []
  /// The transfers that wait for the checks of a host's certificate, by host.
  var transfersWithoutPolicy: [String: [CurlTransfer]] = [:]
  /// Calls the handlers on threads other than the loop's.
  let callbacks = CallbackPool()
  /// The deliveries that `callbacks` receives at the end of the iteration.
  @exclusivity(unchecked) private var deliveries: [CallbackPool.Callback] = []
  @exclusivity(unchecked) var earlyResponses = EarlyResponses()
  private var isShuttingDown = false
  /// The time, read once per iteration.
  private(set) var now: UInt64 = 0
  let decodingBuffer = DecodingBuffer()
  private let lastGauges = LatestGauges()

  init(
    library: CurlLibrary, profiles: sending CurlProfiles, configuration: CurlConfiguration
  ) throws(CurlConfigurationError) {
    self.library = library
    self.profiles = profiles
    timeouts = configuration.timeouts
    redirectPolicy = configuration.redirects
    family = configuration.names.family
    origins = OriginQueueTable(configuration, library: library)
    if configuration.httpVersion == .http3IfAdvertised { alternativeServices = AlternativeServiceCache() }
    do throws(CurlUnavailableError) {
      multi = try CurlMulti(curl: library.table, limits: configuration.connections, origins: origins)
    } catch {
      throw .unavailable(error)
    }
    Thread { [self] in run() }.start()
  }

  /// Whether the calling thread is the loop's, or one that calls its handlers.
  var isCurrent: Bool { activity.isCurrent || callbacks.isCurrent }

  /// The number of transfers of this loop whose handlers have not returned from their last call.
  var load: Int { transfers.load(ordering: .relaxed) }

  /// Whether this process was forked from the one that created the loop, in which case the loop's thread does
  /// not exist here.
  private var isForkedCopy: Bool { ccurl_fork_count() != forkCount }

  /// Accepts a transfer, from any thread.
  func start(_ transfer: CurlTransfer, refusal: TransferError?) {
    transfers.add(1, ordering: .relaxed)
    if isForkedCopy {
      let reason =
        "the transport was created before this process was forked, and works only in the original process"
      return transfer.finish(refusal ?? .other(code: CCURLE_FAILED_INIT, reason: reason))
    }
    post(.start(transfer, refusal: refusal))
  }

  /// Asks the loop for its gauges, from any thread; a loop's thread does not wait for another one.
  func queryGauges(isOnLoop: Bool) -> GaugeQuery {
    let query = GaugeQuery(storingIn: lastGauges)
    if isForkedCopy {
      query.report(TransportGauges())
    } else if activity.isCurrent {
      query.report(measure())
    } else if isOnLoop {
      query.report(lastGauges.withLock { $0 })
    } else {
      post(.measure(query))
    }
    return query
  }

  /// Calls a closure with each transfer that has started and not ended.
  func forEachActive(_ body: (CurlTransfer) -> Void) {
    _ = active.first { transfer in
      body(transfer)
      return false
    }
  }

  /// Notes that the handler of a transfer has returned from its last call.
  func noteEnd() {
    transfers.subtract(1, ordering: .relaxed)
  }

  /// Sends the loop a command, from any thread; has no effect after the end of the loop.
  func post(_ command: LoopInbox.Command) {
    // A thread that does not exist in this process may have held its lock during the fork.
    guard !isForkedCopy else { return }
    inbox.post(command) { multi.wake() }
  }

  /// Notes that a transfer has events; the transfer calls it from libcurl's callbacks.
  func noteEvents(of transfer: CurlTransfer) {
    guard !transfer.isPending else { return }
    transfer.isPending = true
    transfersWithEvents.append(transfer)
  }

  /// Notes that the server has left a connection.
  ///
  /// The requests on it count no longer: others would wait for them although they use other connections.
  func noteGoAway(on connection: Connection) {
    origins.noteClosing(of: connection)
    connection.forEachTransfer { origins.remove($0, isRetry: true) }
  }

  /// Schedules a call of user code for the end of the iteration, on a thread that it may block.
  func callLater(_ callback: @escaping CallbackPool.Callback) {
    deliveries.append(callback)
  }

  /// Schedules the delivery of a request's events to its observer for the end of the iteration.
  func deliver(_ observer: any TransferObserver) {
    deliveries.append { observer.deliver() }
  }

  /// Schedules the delivery of a transfer's events for the end of the iteration, or delivers them at once.
  func deliver(_ transfer: CurlTransfer) {
    // After a fork, the thread that starts a transfer is the only one.
    guard !transfer.deliversOnLoop, !isForkedCopy else { return transfer.deliver() }
    deliveries.append { transfer.deliver() }
  }
}

extension CurlLoop {
  private func run() {
    // Set here and not before the start, because Foundation on Linux does not pass an earlier name on to the
    // system.
    Thread.current.name = "CurlTransport"
    // TLS libraries write with plain `write`, and NOSIGNAL keeps libcurl from ignoring SIGPIPE for the whole
    // process.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)

    activity.begin()
    TransportThread.attach()
    multi.watchdog.attach()
    while true {
      let deadline = inbox.prepareToWait() ? min(active.nextCheck, origins.nextCheck) : 0
      activity.suspend()
      multi.wait(until: deadline)
      activity.resume()
      inbox.swapCommands(with: &commands)
      now = DispatchTime.now().uptimeNanoseconds
      multi.processSockets()
      executeCommands()
      if isShuttingDown { break }
      sendBufferedResets()
      multi.processTimeout(now: now)
      // Between reading and delivering, so that a slow handler on this thread does not time out other
      // transfers: by now, everything that has arrived meanwhile has been noted.
      if now >= active.nextCheck { endExpiredTransfers() }
      endFinishedTransfers()
      checkEarlyResponses()
      endUnwatchedTransfers()
      sendWaitingTransfers()
      sendBufferedResets()
      enqueueEvents()
      callbacks.call(&deliveries)
    }
    shutDown()
    activity.end()
  }

  private func executeCommands() {
    while let command = commands.popFirst() {
      switch command {
      case .start(let transfer, let refusal): start(transfer, refusal)
      case .cancel(let transfer): abort(transfer, with: .cancelled)
      case .opened(let transfer, let body): didOpenBody(of: transfer, body.result)
      case .foundPolicy(let policy): didFind(policy)
      case .decided(let transfer, let proposed, let next): didDecide(transfer, proposed, next)
      case .resume(let transfer): if let error = transfer.unpause() { abort(transfer, with: error) }
      case .measure(let reader): reader.report(measure())
      case .shutDown: isShuttingDown = true
      }
    }
  }

  private func start(_ transfer: CurlTransfer, _ refusal: TransferError?) {
    guard refusal == nil, !transfer.isCancelled else { return transfer.finish(refusal) }
    transfer.begin(now: now)
    active.insert(transfer)
    prepare(transfer)
  }

  /// Sends the waiting requests that may proceed now.
  private func sendWaitingTransfers() {
    if now >= origins.nextCheck { origins.advance(now: now) }
    while let transfer = origins.next(now: now) {
      if transfer.isCancelled { end(transfer, with: .cancelled) } else { send(transfer) }
    }
  }

  func send(_ transfer: CurlTransfer) {
    guard let easy = idleHandles.popLast() ?? CurlEasy(library: library, sockets: multi.sockets) else {
      let reason = "no memory for another transfer"
      return end(transfer, with: .other(code: CCURLE_OUT_OF_MEMORY, reason: reason))
    }
    easy.transfer = transfer
    transfer.easy = easy
    send(transfer, easy)
  }

  func send(_ transfer: CurlTransfer, _ easy: CurlEasy) {
    transfer.leaveConnection()
    do throws(TransferError) {
      // Copied once, because each copy retains all of its parts.
      let request = transfer.request
      guard let profile = transfer.profile else {
        throw .other(code: CCURLE_FAILED_INIT, reason: "the options for its host are unknown")
      }
      try easy.apply(profile, for: request.url)
      let content = request.content
      if content != .none { try transfer.openBody(of: request) }
      easy.prepare(
        request, content, length: transfer.body?.length, isNewConnection: transfer.retries.needsNewConnection,
        alternative: alternativeServices?.service(for: request.url, now: now),
        cookies: profiles.cookies(for: request))
      let code = multi.add(easy)
      if code != 0 { throw .other(code: Int(code), reason: "libcurl refused the transfer") }
    } catch {
      detach(transfer, easy)
      transfer.finish(error)
    }
  }

  /// Removes a transfer from libcurl, if it is there, and ends it, unless it has ended before.
  func end(_ transfer: CurlTransfer, with error: TransferError?) {
    removeFromLibcurl(transfer)
    transfer.finish(error)
  }

  private func removeFromLibcurl(_ transfer: CurlTransfer) {
    guard let easy = transfer.easy else { return removeFromQueues(transfer) }
    transfer.noteMetrics(easy)
    multi.remove(easy)
    detach(transfer, easy)
  }

  /// Removes a transfer that libcurl does not handle.
  private func removeFromQueues(_ transfer: CurlTransfer) {
    transfer.cancelOpening()
    active.remove(transfer)
    origins.remove(transfer)
  }

  /// Ends a transfer before it is complete.
  private func abort(_ transfer: CurlTransfer, with error: TransferError?) {
    guard let easy = transfer.easy else { return end(transfer, with: error) }
    transfer.noteMetrics(easy)
    if let connection = easy.sharedConnection, !connection.mustFlush {
      connection.mustFlush = true
      connectionsToFlush.append(connection)
    }
    multi.abort(easy)
    detach(transfer, easy)
    transfer.finish(error)
  }

  /// Makes libcurl send the resets of cancelled streams, once for each connection.
  private func sendBufferedResets() {
    guard !connectionsToFlush.isEmpty else { return }
    for connection in connectionsToFlush {
      connection.mustFlush = false
      connection.runningTransfer?.easy?.sendBufferedFrames()
    }
    connectionsToFlush.removeAll(keepingCapacity: true)
  }

  private func detach(_ transfer: CurlTransfer, _ easy: CurlEasy) {
    removeFromQueues(transfer)
    recycle(easy, of: transfer)
  }

  func recycle(_ easy: CurlEasy, of transfer: CurlTransfer) {
    easy.transfer = nil
    transfer.easy = nil
    transfer.leaveConnection()
    if !easy.mustNotBeReused, idleHandles.count < CurlTransport.idleHandleLimit { idleHandles.append(easy) }
  }

  func endFinishedTransfers() {
    while let (easy, result) = multi.nextDone() {
      guard let transfer = easy.transfer else { continue }
      if result != CCURLE_OK, transfer.reception.headBytes > 0 { easy.noteFailure() }
      let code = transfer.processLastDeferredBytes(
        transfer.isResponseComplete(despite: result) ? CCURLE_OK : result)
      if multi.watchdog.hasEndedAny, hasEndedConnection(of: easy),
        code != CCURLE_OK || !transfer.hasWholeResponse
      {
        let reason = "it floods the connection with data that belongs to no response"
        end(transfer, with: .badServerResponse(reason: reason))
      } else if code == CCURLE_OK, transfer.isRedirected {
        followRedirect(transfer, easy)
      } else if retry(transfer, easy, code) {
        continue
      } else if code == CCURLE_ABORTED_BY_CALLBACK, transfer.attempt.expectationFailed {
        end(transfer, with: nil)
      } else if !transfer.hasHead, code == CCURLE_OK || code == CCURLE_PARTIAL_FILE {
        end(transfer, with: .connectionLost(reason: "it closed within the head of the response"))
      } else {
        end(
          transfer,
          with: code == CCURLE_OK
            ? transfer.completionError : TransferError(code: code, easy: easy, transfer: transfer))
      }
    }
  }

  /// Whether the watchdog has ended the connection of a transfer, or one that was being opened for it.
  private func hasEndedConnection(of easy: CurlEasy) -> Bool {
    // Until a proxy has opened a tunnel, libcurl (8.x) does not report the endpoints of the connection to it.
    let opened = easy.sockets?.opened ?? []
    return (opened + [easy.sharedConnection].compactMap { $0 }).contains {
      $0.hasFlooded.load(ordering: .relaxed)
    }
  }

  private func endUnwatchedTransfers() {
    while let (handle, reason) = multi.nextUnwatched() {
      guard let transfer = active.first(where: { $0.easy?.handle == handle }) else { continue }
      let words = "its socket cannot be watched: \(String(cString: strerror(reason)))"
      abort(transfer, with: .other(code: Int(reason), reason: words))
    }
  }

  private func enqueueEvents() {
    guard !transfersWithEvents.isEmpty else { return }
    swap(&transfersWithEvents, &enqueuing)
    for transfer in enqueuing where transfer.isPending { transfer.enqueueEvents() }
    enqueuing.removeAll(keepingCapacity: true)
  }

  private func endExpiredTransfers() {
    for (transfer, timeout) in active.removeExpired(now: now) {
      let isOver = timeout == .idle && transfer.upload.isResponseComplete && !transfer.pauses.isSendingPaused
      abort(
        transfer,
        with: isOver ? transfer.completionError : .timedOut(timeout, after: transfer.limits.seconds(timeout)))
    }
  }

  /// Reinserts a transfer whose deadline is now earlier than before.
  func advanceDeadline(of transfer: CurlTransfer) {
    active.remove(transfer)
    active.insert(transfer)
  }

  private func shutDown() {
    let left = inbox.close()
    var ended: [CurlTransfer] = []
    while let transfer = active.last {
      removeFromLibcurl(transfer)
      ended.append(transfer)
    }
    for case .start(let transfer, _) in left.elements { ended.append(transfer) }
    idleHandles = []
    // Each transfer references the loop: events of the last iteration would keep both alive forever.
    transfersWithEvents = []
    transfersWithoutPolicy = [:]
    _ = earlyResponses.take()
    multi.close()
    profiles.close()
    // Last, so that the cookie file is complete when the handlers run.
    for transfer in ended { transfer.finish(.cancelled) }
    callbacks.call(&deliveries)
  }
}
