internal import Locking

/// What a caller sees as one transfer, though several follow each other below: his handler, and the transfer that runs now.
///
/// Whoever uses it calls one at a time, from the events of the transfer that runs or when none does; `cancel`, `pause` and `resume`
/// may come from any thread.
final class TransferRelay: Sendable {
  private struct State {
    var handler: (@Sendable (TransferEvent) -> Void)?
    var isCancelled = false
    var isPaused = false
    /// Whether the transfer that runs is to end, though the caller does not wait for it any more.
    var isBrokenOff = false
    var inner: (any Cancellable)?
    var starts = 0
  }

  private let state: Lock<State>

  init(_ handler: @escaping @Sendable (TransferEvent) -> Void) {
    state = Lock(State(handler: handler))
  }

  var isCancelled: Bool { state.withLock { $0.isCancelled } }
  /// Whether the caller has been told of the end.
  var isOver: Bool { state.withLock { $0.handler == nil } }

  func cancel() {
    let inner = state.withLock { state in
      state.isCancelled = true
      return state.inner
    }
    inner?.cancel()
  }

  func pause() {
    let inner = state.withLock { state in
      state.isPaused = true
      return state.inner
    }
    (inner as? any Transfer)?.pause()
  }

  func resume() {
    let inner = state.withLock { state in
      state.isPaused = false
      return state.inner
    }
    (inner as? any Transfer)?.resume()
  }

  /// Starts the next transfer, as cancelled or paused as the caller wants it.
  func start(
    _ request: TransportRequest, over transport: any Transport,
    _ receive: @escaping @Sendable (TransferEvent) -> Void
  ) {
    let turn = state.withLock { state in
      state.starts += 1
      return state.starts
    }
    var inner: (any Cancellable)? = transport.start(request, handler: receive)
    let started = inner
    let (isCancelled, isPaused) = state.withLock { state in
      // One that is over already must not be kept, nor take the place of the next one.
      guard state.handler != nil, state.starts == turn else { return (state.isBrokenOff, false) }
      // The one before goes after the lock is given up.
      swap(&state.inner, &inner)
      return (state.isCancelled, state.isPaused)
    }
    if isCancelled { started?.cancel() }
    if isPaused { (started as? any Transfer)?.pause() }
  }

  /// Hands an event on, unless nobody wants it any more.
  func deliver(_ event: TransferEvent) {
    let handler = state.withLock { $0.isCancelled ? nil : $0.handler }
    handler?(event)
  }

  /// Tells the caller of the end; only the first one counts.
  func finish(_ error: TransferError?) {
    _ = end(error)
  }

  /// Tells the caller of the end, and cancels the transfer that runs, now or when its token comes.
  func breakOff(_ error: TransferError) {
    state.withLock { $0.isBrokenOff = true }
    end(error)?.cancel()
  }

  /// Returns the transfer that ran, which the caller of this lets go of.
  private func end(_ error: TransferError?) -> (any Cancellable)? {
    let (handler, isCancelled, inner) = state.withLock { state in
      (state.handler.take(), state.isCancelled, state.inner.take())
    }
    handler?(.finished(isCancelled ? .cancelled : error))
    return inner
  }
}

/// A transfer that relays the events of others.
protocol RelayingTransfer: Transfer {
  var relay: TransferRelay { get }
}

extension RelayingTransfer {
  var isCancelled: Bool { relay.isCancelled }
  func cancel() { relay.cancel() }
  func pause() { relay.pause() }
  func resume() { relay.resume() }
}
