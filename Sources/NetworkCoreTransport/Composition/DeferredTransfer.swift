internal import ReactiveNetworkLock

/// A transfer that begins later or not at all, and then relays one underlying transfer.
package final class DeferredTransfer: CompositeTransfer {
  private enum Phase {
    case waiting((any Cancellable)?, whenBegun: (@Sendable () -> Void)?)
    /// The transfer has begun, or it was refused or cancelled.
    case decided
  }

  package let sequence: TransferSequence
  /// Whether the transfer waits for a place in a limit of this client, which the server is not slow for.
  package let isWaitForPlace: Bool
  private let scheduler: any DelayScheduler
  private let phase = Lock(Phase.waiting(nil, whenBegun: nil))

  /// Creates a transfer whose refusal is reported on a scheduler.
  package init(
    _ scheduler: any DelayScheduler, isWaitForPlace: Bool = false,
    _ handler: @escaping @Sendable (TransferEvent) -> Void
  ) {
    self.scheduler = scheduler
    self.isWaitForPlace = isWaitForPlace
    sequence = TransferSequence(handler)
  }

  /// Stores the token of the wait, and cancels it if the transfer no longer waits.
  package func store(_ wait: any Cancellable) {
    let isWaiting = phase.withLock { phase in
      guard case .waiting(_, let action) = phase else { return false }
      phase = .waiting(wait, whenBegun: action)
      return true
    }
    if !isWaiting { wait.cancel() }
  }

  /// Calls an action just before the transfer begins.
  ///
  /// The action is called at once if the transfer has begun, or was refused or cancelled before this call. If the
  /// transfer is refused or cancelled after it, the action is dropped. Only the last action counts.
  package func whenBegun(_ action: @escaping @Sendable () -> Void) {
    let (isWaiting, previous) = phase.withLock { phase -> (Bool, (@Sendable () -> Void)?) in
      guard case .waiting(let wait, let previous) = phase else { return (false, nil) }
      phase = .waiting(wait, whenBegun: action)
      return (true, previous)
    }
    withExtendedLifetime(previous) {}
    if !isWaiting { action() }
  }

  /// Begins the transfer with an action, unless it has begun, or was refused or cancelled.
  package func begin(_ action: (TransferSequence) -> Void) {
    let (isFirst, whenBegun) = decide()
    guard isFirst else { return }
    whenBegun?()
    action(sequence)
  }

  /// Ends the transfer with an error, unless it has begun, or was refused or cancelled.
  package func refuse(_ error: TransferError) {
    guard decide().isFirst else { return }
    _ = scheduler.schedule(after: 0) { [sequence] in sequence.finish(error) }
  }

  package func cancel() {
    sequence.cancel()
    // While the transfer waits, there is no underlying transfer that would report the end.
    refuse(.cancelled)
  }

  /// Returns `true` and the action to call for the first call, which also cancels the wait.
  private func decide() -> (isFirst: Bool, whenBegun: (@Sendable () -> Void)?) {
    let former = phase.withLock { phase in
      defer { phase = .decided }
      return phase
    }
    guard case .waiting(let wait, let action) = former else { return (false, nil) }
    wait?.cancel()
    return (true, action)
  }
}
