package import struct Foundation.Data
internal import ReactiveNetworkLock

/// Presents a sequence of underlying transfers to the caller as one: holds the caller's handler and the
/// current transfer.
///
/// The owner makes one call at a time: from the handler of the current transfer, or while there is no
/// transfer. `cancel`, `pause` and `resume` may be called on any thread.
package final class TransferSequence: Sendable {
  /// The caller's handler.
  ///
  /// A bare function is allocated anew each time it passes through a generic call: four times for each request.
  private struct Receiver {
    let handle: @Sendable (TransferEvent) -> Void
  }

  private struct State {
    var receiver: Receiver?
    var isCancelled = false
    var isPaused = false
    /// Whether to cancel the current transfer once its token is available, although the caller has already
    /// received the end.
    var isAborted = false
    var inner: (any Cancellable)?
    var starts = 0
    /// The rest of a response, which waits for `resume` or `cancel`.
    var held: Rest?
  }

  /// A body that the owner has as a whole, and what follows it.
  private struct Rest {
    let body: Data
    let metrics: TransferMetrics?
    let error: TransferError?
  }

  /// Calls user code that must not run on the calling thread.
  static let callbacks = CallbackPool()

  private let state: Lock<State>

  package init(_ handler: @escaping @Sendable (TransferEvent) -> Void) {
    state = Lock(State(receiver: Receiver(handle: handler)))
  }

  package var isCancelled: Bool { state.withLock { $0.isCancelled } }
  /// Whether the caller has received the end.
  package var isOver: Bool { state.withLock { $0.receiver == nil } }

  package func cancel() {
    let (inner, held) = state.withLock { state in
      state.isCancelled = true
      return (state.inner, state.held.take())
    }
    inner?.cancel()
    if let held { finishLater(held) }
  }

  package func pause() {
    let inner = state.withLock { state in
      state.isPaused = true
      return state.inner
    }
    (inner as? any Transfer)?.pause()
  }

  package func resume() {
    let (inner, held) = state.withLock { state in
      state.isPaused = false
      return (state.inner, state.held.take())
    }
    (inner as? any Transfer)?.resume()
    if let held { finishLater(held) }
  }

  /// Starts the next transfer, and cancels or pauses it if the caller has requested that in the meantime.
  ///
  /// - Parameters:
  ///   - request: the request to send.
  ///   - transport: the transport that carries it.
  ///   - reportsEveryEnd: whether it is sure that `transport` reports the end.
  ///   - receive: receives the events.
  package func start(
    _ request: TransportRequest, over transport: any Transport, reportsEveryEnd: Bool = false,
    _ receive: @escaping @Sendable (TransferEvent) -> Void
  ) {
    let number = state.withLock { state in
      state.starts += 1
      return state.starts
    }
    var inner: (any Cancellable)? =
      reportsEveryEnd
      ? transport.start(request, handler: receive)
      : transport.startWithCertainEnd(request, handler: receive)
    let started = inner
    let (isCancelled, isStored) = state.withLock { state in
      // A transfer that has already ended must not be stored, and must not replace the next one.
      guard state.receiver != nil, state.starts == number else { return (state.isAborted, false) }
      // The previous transfer is released after the lock.
      swap(&state.inner, &inner)
      return (state.isCancelled, true)
    }
    if isCancelled { started?.cancel() }
    guard isStored, let started = started as? any Transfer else { return }
    started.follow { state.withLock { $0.isPaused } }
  }

  /// Delivers an event to the caller, unless the transfer is cancelled or has ended.
  package func deliver(_ event: TransferEvent) {
    let receiver = state.withLock { $0.isCancelled ? nil : $0.receiver }
    receiver?.handle(event)
  }

  /// Delivers the end to the caller; only the first call counts.
  package func finish(_ error: TransferError?) {
    end(error, aborts: false)
  }

  /// Delivers any event, including the last one.
  package func pass(_ event: TransferEvent) {
    if case .finished(let error) = event { finish(error) } else { deliver(event) }
  }

  /// Delivers a body that the owner has as a whole, and the end, as the last call of the owner.
  ///
  /// While the caller has paused the transfer, a body that is not empty waits, and so does what follows it.
  /// `resume` and `cancel` make a background thread deliver it.
  ///
  /// - Parameters:
  ///   - error: the reason why the body is not complete; `nil` if it is.
  ///   - body: the body, which may be empty.
  ///   - metrics: the metrics to deliver before the end; `nil` for none.
  package func finish(_ error: TransferError?, after body: Data = Data(), metrics: TransferMetrics?) {
    finish(with: Rest(body: body, metrics: metrics, error: error))
  }

  private func finish(with rest: Rest) {
    let isHeld = state.withLock { state in
      guard state.isPaused, !state.isCancelled, !rest.body.isEmpty else { return false }
      state.held = rest
      return true
    }
    if isHeld { return }
    if !rest.body.isEmpty { deliver(.body(rest.body)) }
    if let metrics = rest.metrics { deliver(.metrics(metrics)) }
    finish(rest.error)
  }

  /// Delivers a rest that was held, unless the caller pauses again before.
  private func finishLater(_ rest: Rest) {
    Self.callbacks.call { [self] in finish(with: rest) }
  }

  /// Cancels the current transfer, at once or when its token is available, and delivers the end.
  package func abort(_ error: TransferError) {
    end(error, aborts: true)
  }

  private func end(_ error: TransferError?, aborts: Bool) {
    // The transfer is released outside the lock.
    let (receiver, isCancelled, inner) = state.withLock { state in
      state.isAborted = state.isAborted || aborts
      return (state.receiver.take(), state.isCancelled, state.inner.take())
    }
    if aborts { inner?.cancel() }
    receiver?.handle(.finished(isCancelled ? .cancelled : error))
  }
}

extension Transfer {
  /// Brings a transfer that has just been started into the state that its caller has asked for.
  ///
  /// It asks again after each call, because a `resume()` may come between the answer and the call.
  package func follow(_ mustPause: () -> Bool) {
    var isPaused = false
    while mustPause() != isPaused {
      isPaused.toggle()
      if isPaused { pause() } else { resume() }
    }
  }
}

/// A transfer that delivers the events of a sequence of underlying transfers.
package protocol CompositeTransfer: Transfer {
  var sequence: TransferSequence { get }
}

extension CompositeTransfer {
  package var isCancelled: Bool { sequence.isCancelled }
  package func cancel() { sequence.cancel() }
  package func pause() { sequence.pause() }
  package func resume() { sequence.resume() }
}
