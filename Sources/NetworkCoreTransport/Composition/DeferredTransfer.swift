internal import ReactiveNetworkLock

/// A transfer that begins later or not at all, and then relays one underlying transfer.
package final class DeferredTransfer: CompositeTransfer {
  private enum Phase {
    case waiting((any Cancellable)?)
    /// The transfer has begun, or it was refused or cancelled.
    case decided
  }

  package let sequence: TransferSequence
  private let scheduler: any DelayScheduler
  private let phase = Lock(Phase.waiting(nil))

  /// Creates a transfer whose refusal is reported on a scheduler.
  package init(_ scheduler: any DelayScheduler, _ handler: @escaping @Sendable (TransferEvent) -> Void) {
    self.scheduler = scheduler
    sequence = TransferSequence(handler)
  }

  /// Stores the token of the wait, and cancels it if the transfer no longer waits.
  package func store(_ wait: any Cancellable) {
    let isWaiting = phase.withLock { phase in
      guard case .waiting = phase else { return false }
      phase = .waiting(wait)
      return true
    }
    if !isWaiting { wait.cancel() }
  }

  /// Begins the transfer with an action, unless it has begun, or was refused or cancelled.
  package func begin(_ action: (TransferSequence) -> Void) {
    if decide() { action(sequence) }
  }

  /// Ends the transfer with an error, unless it has begun, or was refused or cancelled.
  package func refuse(_ error: TransferError) {
    guard decide() else { return }
    _ = scheduler.schedule(after: 0) { [sequence] in sequence.finish(error) }
  }

  package func cancel() {
    sequence.cancel()
    // While the transfer waits, there is no underlying transfer that would report the end.
    refuse(.cancelled)
  }

  /// Returns `true` for the first call, which also cancels the wait.
  private func decide() -> Bool {
    let (isFirst, wait) = phase.withLock { phase -> (Bool, (any Cancellable)?) in
      guard case .waiting(let wait) = phase else { return (false, nil) }
      phase = .decided
      return (true, wait)
    }
    wait?.cancel()
    return isFirst
  }
}
