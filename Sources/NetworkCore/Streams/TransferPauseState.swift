/// Decides when to pause and resume a transfer.
///
/// The owner protects it with a lock. The thread that decides calls the transfer immediately, outside the
/// lock. It does not leave the call to a thread that is still in an earlier call, because a slow `resume()`
/// must not delay a `pause()`. If two threads call the transfer at the same time, the order of their calls is
/// unknown, so the thread that returns last repeats the call.
package struct TransferPauseState {
  /// A call to make on the transfer.
  package struct Action {
    package let transfer: any Transfer
    package let pauses: Bool

    package func callAsFunction() { if pauses { transfer.pause() } else { transfer.resume() } }
  }

  /// The state of a transfer.
  private enum State {
    case running, paused, unknown
  }

  package var mustPause = false
  private var transfer: (any Transfer)?
  /// The state that the last call sets, whether it has returned or not.
  private var state = State.running
  private var inProgress = 0
  private var mustRepeat = false
  /// The number of the latest transfer.
  private var latest = 0
  /// The number of the latest token that was stored.
  private var stored = 0

  package init() {}

  /// Returns the number of the next transfer.
  package mutating func nextTransfer() -> Int {
    latest += 1
    return latest
  }

  /// Stores a running transfer; returns the previous one, which the caller releases outside the lock.
  ///
  /// The thread that started a transfer may call this after the transfer has failed and another thread has
  /// started the next one.
  package mutating func store(_ token: any Cancellable, number: Int) -> (any Transfer)? {
    guard number == latest else { return nil }
    let spent = transfer
    let next = token as? any Transfer
    // A layer's token may be unable to pause the transfer that came with the head.
    guard next != nil || stored != number else { return nil }
    stored = number
    // The same transfer may arrive twice: with the head, and as the token.
    guard next == nil || next !== spent else { return nil }
    transfer = next
    // A layer's token may stand for the transfer that came with the head, and that may be paused.
    state = spent == nil ? .running : .unknown
    return spent
  }

  /// Removes and returns the transfer, which the caller releases outside the lock.
  mutating func release() -> (any Transfer)? {
    state = .running
    return transfer.take()
  }

  /// Returns the call to make on the transfer, if any; the thread must call `done()` after that call.
  package mutating func begin() -> Action? {
    guard state != wanted else { return nil }
    return makeAction()
  }

  /// Ends a call; returns the next one, if any.
  package mutating func done() -> Action? {
    inProgress -= 1
    guard inProgress == 0, mustRepeat || state != wanted else { return nil }
    mustRepeat = false
    return makeAction()
  }

  private var wanted: State { mustPause ? .paused : .running }

  private mutating func makeAction() -> Action? {
    guard let transfer else { return nil }
    mustRepeat = mustRepeat || inProgress > 0
    inProgress += 1
    state = wanted
    return Action(transfer: transfer, pauses: mustPause)
  }
}
