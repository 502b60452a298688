internal import CNetworkCoreCurl
internal import Foundation
internal import Synchronization

/// A transfer: the token that its caller holds, and its state on the loop's thread.
///
/// Sendable despite its mutable properties: `cancelled`, `paused` and `isResumePosted` are atomic, and `eventQueue`
/// has a lock. Only the delivering thread accesses `handler` and `hasPlace`, and `eventQueue` allows one such thread
/// at a time. Only the loop's thread accesses all other properties. The thread that starts the transfer does so
/// before; the others receive the object through the lock of the loop's inbox.
final class CurlTransfer: Transfer, @unchecked Sendable {
  let loop: CurlLoop
  private let cancelled = Atomic(false)
  let paused = Atomic(false)
  /// Whether a `.resume` is in the loop's inbox, so that repeated resumptions take no memory.
  private let isResumePosted = Atomic(false)
  @exclusivity(unchecked) var handler: (@Sendable (TransferEvent) -> Void)?
  /// Whether the transfer counts towards the limit of requests.
  var hasPlace = false
  /// Whether the handler is called on the loop's thread.
  let deliversOnLoop: Bool
  /// Whether a callback of the loop has started the transfer.
  let isChained: Bool
  /// Delivers events to the observers of the request, if there are any.
  let observer: (any TransferObserver)?
  /// The events that have been passed to the delivering thread and not yet delivered.
  let eventQueue = TransferEventQueue()

  @exclusivity(unchecked) var request: TransportRequest
  @exclusivity(unchecked) var attempt = AttemptState()
  @exclusivity(unchecked) var retries = RetryState()
  @exclusivity(unchecked) var reception = ReceptionState()
  @exclusivity(unchecked) var pauses = PauseState()
  @exclusivity(unchecked) var upload = UploadState()
  /// The body of the request with its read position; `nil` if it has none.
  @exclusivity(unchecked) var body: RequestBodyReader?
  /// The work that opens the body; `nil` if the transfer does not wait for it.
  var opening: (pool: BlockingWorkPool, number: Int)?
  /// The reason why a callback ended the transfer.
  var failure: TransferError?

  /// The index in the loop's `DeadlineHeap`; `nil` if the transfer is not there.
  var index: Int?
  /// The options of the request.
  var profile: CurlProfile?
  /// The transfer's position among the requests to its origin.
  @exclusivity(unchecked) var queuePosition = OriginQueuePosition()
  /// The links among the transfers on its connection, if several may share it.
  var connectionLinks: Connection.Links?
  /// The handle while libcurl handles the transfer.
  var easy: CurlEasy?
  /// The time limits.
  var limits: TransferTimeLimits
  /// Whether a byte of a response has arrived, to this request or to one that was redirected to it.
  var hasFirstByte = false
  /// The time when bytes were last sent or received, in nanoseconds of the loop's clock.
  var lastActivity: UInt64 = 0
  /// Whether the loop knows that there are events to queue.
  var isPending = false
  /// Whether the transfer has ended.
  var isOver = false

  /// The events that are not in `eventQueue` yet.
  @exclusivity(unchecked) var pendingEvents = PendingEvents()
  /// The greatest count of sent bytes that has been reported.
  var reportedSent: Int64 = 0
  /// Whether the loop knows that the response is arriving while the body may still be in transit.
  var isInEarlyResponses = false

  init(
    request: TransportRequest, loop: CurlLoop, handler: @escaping @Sendable (TransferEvent) -> Void
  ) {
    self.request = request
    self.loop = loop
    retries.needsNewConnection = request.needsNewConnection
    deliversOnLoop = request.deliversOnLoop
    isChained = loop.callbacks.isCurrent
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
    postResume()
    deliverHeldEvents()
  }

  /// Makes the loop resume the transfer, unless it is about to.
  func postResume() {
    if !isResumePosted.exchange(true, ordering: .sequentiallyConsistent) { loop.post(.resume(self)) }
  }

  /// Notes that the loop has taken the `.resume`; what has changed before need not be posted again.
  func takeResume() { _ = isResumePosted.exchange(false, ordering: .sequentiallyConsistent) }

  /// Delivers the events that a pause has held back.
  private func deliverHeldEvents() {
    // A transfer that delivers on the loop's thread holds nothing back: events in transit are delivered.
    if !deliversOnLoop, eventQueue.resume() { loop.callbacks.call { [self] in deliver() } }
  }
}
