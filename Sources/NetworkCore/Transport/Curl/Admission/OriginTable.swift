/// The origins that libcurl may speak HTTP/2 with, and the requests that wait for their turn there.
///
/// They wait here and not with libcurl (7.88), which opens a connection for each of them once the streams of the first are taken.
/// Used on the loop's thread only.
final class OriginTable {
  /// More origins than this are not remembered at once, unless they are all in use.
  private static let limit = 1_024

  /// By what stands before the path of a URL; several may lead to one queue.
  private var queues: [String: OriginQueue] = [:]
  private var canonical: [Origin: OriginQueue] = [:]
  private var sockets: [CInt: OriginQueue] = [:]
  /// Those in which requests wait.
  private var waiting: [ObjectIdentifier: OriginQueue] = [:]
  @exclusivity(unchecked) private var changed: [OriginQueue] = []
  /// When to call `look(now:)` next, in nanoseconds of the loop's clock.
  private(set) var nextLook = UInt64.max

  private let connections: CurlConfiguration.Connections
  /// Whether connections of `https`, and of `http`, may carry several requests.
  private let mayShare: (secure: Bool, plain: Bool)

  init(_ configuration: CurlConfiguration, library: CurlLibrary) {
    connections = configuration.connections
    let mayShare = configuration.httpVersion != .http1_1 && library.tellsOfConnections
    self.mayShare = (
      mayShare, mayShare && configuration.httpVersion == .http2PriorKnowledge && !library.losesPriorKnowledge
    )
  }

  /// Whether a request may be sent at once; if not, it waits until `next(now:)` returns it.
  func admits(_ transfer: CurlTransfer, now: UInt64) -> Bool {
    guard let queue = queue(for: transfer.request.url) else { return true }
    transfer.place = OriginPlace(queue: queue)
    queue.admission.look(now: now)
    guard queue.isEmpty, queue.admission.admitsMore else {
      (transfer.place.isWaiting, transfer.place.start) = (true, now)
      queue.append(transfer)
      queue.admission.noteWaiting(now: now)
      waiting[ObjectIdentifier(queue)] = queue
      nextLook = min(nextLook, queue.admission.nextLook ?? .max)
      return false
    }
    transfer.place.generation = queue.admission.admit(now: now)
    return true
  }

  /// The next request that may be sent.
  func next(now: UInt64) -> CurlTransfer? {
    while let queue = changed.last {
      queue.admission.learn()
      if queue.admission.admitsMore, let transfer = queue.popFirst() {
        queue.compact()
        transfer.place.isWaiting = false
        transfer.place.generation = queue.admission.admit(now: now)
        if queue.isEmpty { noteNoneWaiting(queue) }
        return transfer
      }
      queue.isChanged = false
      changed.removeLast()
      if let time = queue.admission.nextLook { nextLook = min(nextLook, time) }
    }
    return nil
  }

  /// Takes note of the time, once that is `nextLook`.
  func look(now: UInt64) {
    guard now >= nextLook else { return }
    nextLook = .max
    for queue in waiting.values {
      queue.admission.look(now: now)
      note(queue)
    }
  }

  /// A transfer leaves its origin: it is over, or asks another one next.
  func leave(_ transfer: CurlTransfer) {
    guard let queue = transfer.place.queue else { return }
    let place = transfer.place
    transfer.place = OriginPlace()
    if place.isWaiting {
      transfer.place.index = place.index
      queue.remove(transfer)
      queue.compact()
      if queue.isEmpty { noteNoneWaiting(queue) }
    } else {
      queue.admission.leave(
        generation: place.generation, wasSent: place.isSent, isCancelled: transfer.isCancelled)
      note(queue)
    }
  }

  private func noteNoneWaiting(_ queue: OriginQueue) {
    queue.admission.noteNoneWaiting()
    waiting[ObjectIdentifier(queue)] = nil
  }

  private func note(_ queue: OriginQueue) {
    guard !queue.isChanged, !queue.isEmpty else { return }
    queue.isChanged = true
    changed.append(queue)
  }

  /// The queue for a URL; `nil` where a connection carries one request at a time in any case.
  private func queue(for url: String) -> OriginQueue? {
    guard mayShare.plain || mayShare.secure && url.withBytes({ $0.hasLowercasedPrefix("https") }),
      let (_, range) = url.withBytes({ Origin.authority(of: $0) })
    else { return nil }
    let name = String(Substring(url.utf8.prefix(range.upperBound)))
    if let known = queues[name] { return known }
    guard let origin = Origin(url: url), !origin.isUnixSocket else { return nil }
    if queues.count >= Self.limit { forgetIdle() }
    let queue =
      canonical[origin]
      ?? OriginQueue(
        OriginAdmission(perHost: connections.limitPerHost, streamLimit: connections.streamLimit))
    (queues[name], canonical[origin]) = (queue, queue)
    return queue
  }

  private func forgetIdle() {
    queues = queues.filter { !$0.value.admission.isIdle || !$0.value.isEmpty }
    canonical = canonical.filter { !$0.value.admission.isIdle || !$0.value.isEmpty }
  }
}

// What libcurl does with the transfers that it has.
extension OriginTable {
  /// A socket opens for a transfer.
  func noteOpening(of socket: CInt, for transfer: CurlTransfer, now: UInt64) {
    guard let queue = transfer.place.queue else { return }
    // A host of several addresses may get several sockets for one connection.
    let isNeeded = transfer.place.socket == nil && !transfer.needsNewConnection
    transfer.place.socket = socket
    sockets[socket] = queue
    queue.admission.noteOpening(of: socket, isNeeded: isNeeded, now: now)
    note(queue)
  }

  /// A socket closes, whose number may be another's next.
  func noteClosing(of socket: CInt) {
    guard let queue = sockets.removeValue(forKey: socket) else { return }
    queue.admission.noteClosing(of: socket)
    note(queue)
  }

  /// A transfer has got a connection and is about to be sent.
  func noteSent(_ transfer: CurlTransfer, now: UInt64) {
    guard let queue = transfer.place.queue else { return }
    queue.admission.noteSent(on: transfer.place.socket, isFirst: !transfer.place.isSent, now: now)
    (transfer.place.isSent, transfer.place.start) = (true, nil)
    note(queue)
    // A connection that has opened may be ready for more after some time.
    if !queue.isEmpty, let time = queue.admission.nextLook { nextLook = min(nextLook, time) }
  }

  /// The head of an answer comes to a transfer.
  func noteAnswer(to transfer: CurlTransfer, isHTTP2: Bool) {
    guard let queue = transfer.place.queue else { return }
    queue.admission.noteAnswer(isShared: isHTTP2, socket: transfer.place.socket)
    note(queue)
  }

  /// A transfer is sent once more.
  func noteResending(_ transfer: CurlTransfer) {
    guard let queue = transfer.place.queue else { return }
    if transfer.place.isSent { queue.admission.noteResending() }
    (transfer.place.isSent, transfer.place.socket) = (false, nil)
  }
}
