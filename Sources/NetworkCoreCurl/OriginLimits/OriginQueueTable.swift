/// The queues of the origins that may speak HTTP/2 or HTTP/3.
///
/// Requests wait here because libcurl (7.88) opens a connection for each of them once the streams of the
/// first one are in use. Used on the loop's thread only.
final class OriginQueueTable {
  /// The maximum number of origins to remember, unless more are in use.
  private static let limit = 1_024

  /// The number of origins at which idle ones are forgotten: twice the number in use when this last happened.
  private var cleanupThreshold = limit
  /// Queues by scheme, host and port as written in the URL; several spellings share a queue.
  private var queues: [String: OriginQueue] = [:]
  private var queuesByOrigin: [Origin: OriginQueue] = [:]
  /// The queues with waiting requests.
  private var waiting: [ObjectIdentifier: OriginQueue] = [:]
  @exclusivity(unchecked) private var changed: [OriginQueue] = []
  /// The next time to call `advance(now:)`, in nanoseconds of the loop's clock.
  private(set) var nextCheck = UInt64.max

  private let connections: CurlConfiguration.Connections
  /// Whether connections of `https` and `http` may carry several requests at a time.
  private let mayShare: (secure: Bool, plain: Bool)

  init(_ configuration: CurlConfiguration, library: CurlLibrary) {
    connections = configuration.connections
    let mayShare = configuration.httpVersion != .http1_1
    self.mayShare = (
      mayShare,
      mayShare && configuration.httpVersion == .http2PriorKnowledge
        && !library.defects.limitsPriorKnowledgeToOneRequest
    )
  }

  /// Returns `true` if the request may be sent now; otherwise it waits until `next(now:)` returns it.
  ///
  /// A request that has been sent before waits for a place like all others, because libcurl would open another
  /// connection for it if the streams are in use, but before all new ones.
  func admitOrEnqueue(_ transfer: CurlTransfer, isRetry: Bool, now: UInt64) -> Bool {
    guard let queue = queue(for: transfer.request.url) else { return true }
    transfer.queuePosition.queue = queue
    queue.limiter.advance(now: now)
    guard queue.isEmpty, queue.limiter.admitsMore else {
      transfer.queuePosition.place = queue.append(transfer, isRetry: isRetry)
      transfer.queuePosition.start = now
      queue.limiter.noteWaiting(now: now)
      waiting[ObjectIdentifier(queue)] = queue
      nextCheck = min(nextCheck, queue.limiter.nextCheck ?? .max)
      // The streams of the requests in progress may not have been counted since the last request waited.
      markChanged(queue)
      return false
    }
    admit(transfer, by: queue, now: now)
    return true
  }

  private func admit(_ transfer: CurlTransfer, by queue: OriginQueue, now: UInt64) {
    transfer.queuePosition.opensConnection = queue.limiter.opensConnection
    transfer.queuePosition.generation = queue.limiter.admit(now: now)
  }

  /// Removes and returns the next waiting request that may be sent now.
  func next(now: UInt64) -> CurlTransfer? {
    while let queue = changed.last {
      queue.limiter.updateStreams()
      if queue.limiter.admitsMore, let transfer = queue.popFirst() {
        transfer.queuePosition.place = nil
        admit(transfer, by: queue, now: now)
        if queue.isEmpty { noteNoneWaiting(queue) }
        return transfer
      }
      queue.isChanged = false
      changed.removeLast()
      if let time = queue.limiter.nextCheck { nextCheck = min(nextCheck, time) }
    }
    return nil
  }

  /// Advances the clock of the queues if `nextCheck` has passed.
  func advance(now: UInt64) {
    guard now >= nextCheck else { return }
    nextCheck = .max
    for queue in waiting.values {
      queue.limiter.advance(now: now)
      markChanged(queue)
    }
  }

  /// Removes a transfer that has ended; `isRetry` if it is retried, or is about to be.
  func remove(_ transfer: CurlTransfer, isRetry: Bool = false) {
    guard let queue = transfer.queuePosition.queue else { return }
    let queuePosition = transfer.queuePosition
    transfer.queuePosition = OriginQueuePosition(hasReturned: queuePosition.isDenied)
    if let place = queuePosition.place {
      queue.remove(place)
      if queue.isEmpty { noteNoneWaiting(queue) }
      return
    }
    if isRetry {
      queue.limiter.release(generation: queuePosition.generation, wasSent: queuePosition.isSent)
    } else {
      queue.limiter.noteEnd(
        generation: queuePosition.generation, wasSent: queuePosition.isSent, isCancelled: transfer.isCancelled
      )
    }
    markChanged(queue)
  }

  private func noteNoneWaiting(_ queue: OriginQueue) {
    queue.limiter.noteNoneWaiting()
    waiting[ObjectIdentifier(queue)] = nil
  }

  private func markChanged(_ queue: OriginQueue) {
    guard !queue.isChanged, !queue.isEmpty else { return }
    queue.isChanged = true
    changed.append(queue)
  }

  /// Returns the queue for a URL; `nil` if its connections never carry several requests.
  private func queue(for url: String) -> OriginQueue? {
    guard mayShare.plain || mayShare.secure && url.withBytes({ $0.hasLowercasedPrefix("https") }),
      let (_, range) = url.withBytes({ Origin.authority(of: $0) })
    else { return nil }
    // Without user and password, because each pair of them would create another queue name.
    let authority = url.utf8.dropFirst(range.lowerBound).prefix(range.count)
    let host = authority.lastIndex(of: UInt8(ascii: "@")).map { authority[$0...].dropFirst() } ?? authority
    let name = String(Substring(url.utf8.prefix(range.lowerBound))) + String(Substring(host))
    if let known = queues[name] { return known }
    guard let origin = Origin(url: url), !origin.isUnixSocket else { return nil }
    if queues.count >= cleanupThreshold { removeIdleQueues() }
    let queue =
      queuesByOrigin[origin]
      ?? OriginQueue(
        OriginRequestLimiter(perHost: connections.limitPerHost, streamLimit: connections.streamLimit))
    (queues[name], queuesByOrigin[origin]) = (queue, queue)
    return queue
  }

  private func removeIdleQueues() {
    queues = queues.filter { !$0.value.isIdle }
    queuesByOrigin = queuesByOrigin.filter { !$0.value.isIdle }
    cleanupThreshold = max(Self.limit, 2 * queues.count)
  }
}

// Events of admitted transfers.
extension OriginQueueTable {
  /// Returns `true` if libcurl may open a socket for a transfer; otherwise makes the transfer return to the queue.
  func admitSocket(for transfer: CurlTransfer) -> Bool {
    guard let queue = transfer.queuePosition.queue, isFirstNeeded(by: transfer),
      !transfer.queuePosition.hasReturned, !queue.limiter.admitsConnection
    else { return true }
    queue.limiter.noteFullConnections()
    transfer.queuePosition.isDenied = true
    return false
  }

  /// Whether the next socket of a transfer is its first, and is opened because there is no room for it.
  ///
  /// libcurl may open a socket for each address of a host and keep only one. For an alternative service it
  /// opens one although the connections to the origin have room.
  private func isFirstNeeded(by transfer: CurlTransfer) -> Bool {
    transfer.queuePosition.socket == nil && !transfer.retries.needsNewConnection
      && transfer.easy?.applied.alternative == nil
  }

  /// Notes that libcurl opens a connection for a transfer.
  func noteOpening(of connection: Connection, for transfer: CurlTransfer, now: UInt64) {
    guard let queue = transfer.queuePosition.queue else { return }
    // A request that was admitted to open a connection says nothing about the room on the others.
    let isNeeded = isFirstNeeded(by: transfer) && !transfer.queuePosition.opensConnection
    transfer.queuePosition.socket = connection.socket
    connection.queue = queue
    queue.limiter.noteOpening(of: connection.socket, isNeeded: isNeeded, now: now)
    markChanged(queue)
  }

  /// Notes that a connection closes.
  func noteClosing(of connection: Connection) {
    guard let queue = connection.queue.take() else { return }
    queue.limiter.noteClosing(of: connection.socket)
    markChanged(queue)
  }

  /// Notes that the server has left a connection.
  ///
  /// The requests on it count no longer: others would wait for them although they use other connections.
  func noteGoAway(on connection: Connection) {
    noteClosing(of: connection)
    connection.forEachTransfer { remove($0, isRetry: true) }
  }

  /// Notes that a transfer has a connection and is about to be sent.
  ///
  /// - Parameters:
  ///   - transfer: the transfer.
  ///   - socket: the socket of a new connection, although libcurl may have opened several; `nil` for a reused
  ///     connection.
  ///   - now: the time.
  func noteSent(_ transfer: CurlTransfer, on socket: CInt?, now: UInt64) {
    guard let queue = transfer.queuePosition.queue else { return }
    transfer.queuePosition.socket = socket
    queue.limiter.noteSent(
      on: transfer.queuePosition.socket, isFirst: !transfer.queuePosition.isSent, now: now)
    (transfer.queuePosition.isSent, transfer.queuePosition.start) = (true, nil)
    (transfer.queuePosition.isDenied, transfer.queuePosition.hasReturned) = (false, false)
    markChanged(queue)
    // A new connection can take more after its settling time.
    if !queue.isEmpty, let time = queue.limiter.nextCheck { nextCheck = min(nextCheck, time) }
  }

  /// Notes the head of the response to a transfer.
  func noteResponse(to transfer: CurlTransfer, isMultiplexed: Bool) {
    guard let queue = transfer.queuePosition.queue else { return }
    queue.limiter.noteResponse(isShared: isMultiplexed, socket: transfer.queuePosition.socket)
    markChanged(queue)
  }
}
