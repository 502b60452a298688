/// Whether a transfer is to wait, and whether it has been told so.
///
/// What was decided under the lock that holds this is done outside it, at once and by whichever thread decided: a sender
/// must not run on because another thread, which has just had it go on, is slow to return. Where two threads did so at the
/// same time, nobody knows what reached the transfer last: the one that returns last says it once more.
package struct TransferBrake {
  /// What to tell the transfer.
  package struct Action {
    package let transfer: any Transfer
    package let pauses: Bool

    package func callAsFunction() { if pauses { transfer.pause() } else { transfer.resume() } }
  }

  package var mustPause = false
  private var transfer: (any Transfer)?
  /// What the transfer has been told last, or is being told.
  private var isPaused = false
  private var telling = 0
  private var isUncertain = false
  /// The number of the transfer that began last.
  private var latest = 0

  package init() {}

  /// A transfer is about to begin; returns its number.
  package mutating func nextTransfer() -> Int {
    latest += 1
    return latest
  }

  /// Takes a running transfer; returns the objects to release outside the lock.
  ///
  /// The thread that has started a transfer may bring it after that has failed, and another thread has begun the next one.
  package mutating func hold(_ token: any Cancellable, number: Int) -> (any Transfer)? {
    guard number == latest else { return nil }
    let spent = transfer
    let next = token as? any Transfer
    // It may come twice: with the head, and as the token.
    guard next == nil || next !== spent else { return nil }
    transfer = next
    isPaused = false
    return spent
  }

  /// Forgets the transfer; returns the objects to release outside the lock.
  mutating func release() -> (any Transfer)? {
    isPaused = false
    return transfer.take()
  }

  /// What to tell the transfer, for a thread that calls `done()` afterwards.
  package mutating func begin() -> Action? {
    guard mustPause != isPaused else { return nil }
    return tell()
  }

  /// The transfer has been told; what to tell it next.
  package mutating func done() -> Action? {
    telling -= 1
    guard telling == 0, isUncertain || mustPause != isPaused else { return nil }
    isUncertain = false
    return tell()
  }

  private mutating func tell() -> Action? {
    guard let transfer else { return nil }
    isUncertain = isUncertain || telling > 0
    telling += 1
    isPaused = mustPause
    return Action(transfer: transfer, pauses: mustPause)
  }
}
