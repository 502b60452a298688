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
  private let delay: HedgeDelay?
  private let phase = Lock(Phase.waiting(nil))

  /// Creates a transfer that waits.
  ///
  /// - Parameters:
  ///   - scheduler: reports a refusal.
  ///   - delay: the delay of a hedge, which does not run while the transfer waits.
  ///   - handler: receives the events.
  package init(
    _ scheduler: any DelayScheduler, pausing delay: HedgeDelay? = nil,
    _ handler: @escaping @Sendable (TransferEvent) -> Void
  ) {
    self.scheduler = scheduler
    self.delay = delay
    sequence = TransferSequence(handler)
    delay?.pause()
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
    guard decide() else { return }
    // Before the action, whose response may arrive within it. It may also begin another wait.
    delay?.resume()
    action(sequence)
  }

  /// Ends the transfer with an error, unless it has begun, or was refused or cancelled.
  package func refuse(_ error: TransferError) {
    guard decide() else { return }
    _ = scheduler.schedule(after: .zero) { [sequence, delay] in
      sequence.finish(error)
      delay?.resume()
    }
  }

  package func cancel() {
    sequence.cancel()
    // While the transfer waits, there is no underlying transfer that would report the end.
    refuse(.cancelled)
  }

  /// Returns `true` for the first call, which also cancels the wait.
  private func decide() -> Bool {
    let former = phase.withLock { exchange(&$0, with: .decided) }
    guard case .waiting(let wait) = former else { return false }
    wait?.cancel()
    return true
  }
}
