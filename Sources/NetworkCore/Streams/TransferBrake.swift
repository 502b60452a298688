/// Whether a transfer is to wait, and whether it has been told so.
///
/// What was decided under the lock that holds this is done outside it, by one thread at a time and until nothing is left
/// to do: two threads that have decided otherwise must not reach the transfer in the wrong order.
struct TransferBrake {
  /// What to tell the transfer.
  struct Action {
    let transfer: any Transfer
    let pauses: Bool

    func callAsFunction() { if pauses { transfer.pause() } else { transfer.resume() } }
  }

  var mustPause = false
  private var transfer: (any Transfer)?
  private var isPaused = false
  private var isActing = false

  /// Takes another transfer, which runs; returns what to let go of outside the lock.
  mutating func hold(_ token: (any Cancellable)?) -> (any Transfer)? {
    let spent = transfer
    let next = token as? any Transfer
    // It may come twice: with the head, and as the token.
    guard next == nil || next !== spent else { return nil }
    transfer = next
    isPaused = false
    return spent
  }

  /// What to do, unless another thread is at it.
  mutating func begin() -> Action? { isActing ? nil : proceed() }

  /// What to do next, for the thread that is at it.
  mutating func proceed() -> Action? {
    isActing = mustPause != isPaused && transfer != nil
    guard isActing, let transfer else { return nil }
    isPaused = mustPause
    return Action(transfer: transfer, pauses: mustPause)
  }
}
