internal import Foundation
internal import ReactiveNetworkLock

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A transfer of `URLSessionTransport`: the token that its caller holds, and its state.
final class URLSessionTransfer: Cancellable {
  private struct State {
    var handler: (@Sendable (TransferEvent) -> Void)?
    /// The pending events, and whether a thread delivers them or is about to.
    var events = Queue<TransferEvent>()
    /// The memory for the pieces of the body in `events`, in bytes.
    var pendingBytes = 0
    var isDelivering = false
    var isOver = false
    var isCancelled = false
    var request: TransportRequest
    var hasDeclinedCredentials = false
    var hasHead = false
    var bodyBytes = 0
    var failure: TransferError?
    var task: URLSessionTask?
    var body: BodyInputStream?

    /// Returns the memory for a piece of the body: small pieces take more than their bytes.
    static func memory(ofPiece count: Int) -> Int { max(count, 256) }

    /// Returns the next event and the handler; after a cancellation, only the end.
    mutating func next() -> (TransferEvent, (@Sendable (TransferEvent) -> Void)?)? {
      if isCancelled, !events.isEmpty { events = Queue(isOver ? [.finished(.cancelled)] : []) }
      guard let event = events.popFirst() else {
        isDelivering = false
        return nil
      }
      switch event {
      case .finished: return (event, handler.take())
      case .body(let data): pendingBytes -= Self.memory(ofPiece: data.count)
      default: break
      }
      return (event, handler)
    }
  }

  private let state: Lock<State>
  private let delegate: URLSessionTransferDelegate

  init(
    request: TransportRequest, delegate: URLSessionTransferDelegate,
    handler: @escaping @Sendable (TransferEvent) -> Void
  ) {
    state = Lock(State(handler: handler, request: request))
    self.delegate = delegate
  }

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  func cancel() {
    let already = state.withLock { exchange(&$0.isCancelled, with: true) }
    // On the delegate's queue and not here: on Linux, URLSession crashes the process if a task is cancelled
    // on one thread while it ends on another.
    if !already { delegate.queue.addOperation { [self] in delegate.cancel(self) } }
  }

  /// The task that carries the transfer; `nil` before it is created.
  var task: URLSessionTask? { state.withLock { $0.task } }

  /// The stream that provides the request body, if that is a file or a stream.
  var body: BodyInputStream? { state.withLock { $0.body } }

  /// Stores the task for the request.
  func begin(_ task: URLSessionTask, sending body: BodyInputStream?) {
    state.withLock { ($0.task, $0.body) = (task, body) }
  }

  /// Whether a request for credentials has been declined.
  var hasDeclinedCredentials: Bool {
    get { state.withLock { $0.hasDeclinedCredentials } }
    set { state.withLock { $0.hasDeclinedCredentials = newValue } }
  }

  /// Whether the head has been delivered.
  var hasHead: Bool {
    get { state.withLock { $0.hasHead } }
    set { state.withLock { $0.hasHead = newValue } }
  }

  /// Counts a piece of the response body; returns whether it may be delivered.
  ///
  /// The server cannot be made to wait (see `URLSessionTransport`), so a transfer whose receiver is too slow
  /// ends here.
  func receive(_ count: Int) -> Bool {
    state.withLock { state in
      state.bodyBytes += count
      if let limit = state.request.responseBodyLimit, state.bodyBytes > limit {
        state.failure = .responseTooLarge(limit: limit)
      } else if state.pendingBytes + State.memory(ofPiece: count) > URLSessionTransport.pendingBodyLimit {
        let limit = URLSessionTransport.pendingBodyLimit
        state.failure = .other(
          code: 0,
          reason: "its receiver is \(limit >> 20) MiB behind the server, which URLSession cannot delay")
      } else {
        state.pendingBytes += State.memory(ofPiece: count)
      }
      return state.failure == nil
    }
  }

  /// The reason why the transport itself ended the transfer.
  var failure: TransferError? { state.withLock { $0.failure } }

  /// The request, without its body after the end.
  var request: TransportRequest { state.withLock { $0.request } }

  /// Queues an event for delivery, unless the transfer has been cancelled or has ended.
  func deliver(_ event: TransferEvent) {
    enqueue { $0.isCancelled || $0.isOver ? nil : event }
  }

  /// Queues the end for delivery; only the first call counts.
  func finish(_ error: TransferError?) {
    let body = state.withLock { state in
      state.task = nil
      state.request.body = .none
      return state.body.take()
    }
    body?.close()
    enqueue { state in
      guard !state.isOver else { return nil }
      state.isOver = true
      return .finished(error)
    }
  }

  private func enqueue(_ event: (inout State) -> TransferEvent?) {
    let (mustDeliver, deliversHere) = state.withLock { state in
      guard let event = event(&state) else { return (false, false) }
      state.events.append(event)
      defer { state.isDelivering = true }
      return (!state.isDelivering, state.request.deliversOnLoop)
    }
    guard mustDeliver else { return }
    if deliversHere { deliverAll() } else { delegate.callbacks.call { [self] in deliverAll() } }
  }

  /// Calls the handler with the queued events.
  private func deliverAll() {
    while let (event, handler) = state.withLock({ $0.next() }) { handler?(event) }
  }
}
