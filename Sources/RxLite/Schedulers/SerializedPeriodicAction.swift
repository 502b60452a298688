import Synchronization

/// Runs a periodic action on a scheduler that may run several actions at a time.
///
/// If a run becomes due on another thread during a run, the thread of the current run executes it afterwards.
final class SerializedPeriodicAction: Disposable, MessageRecipient {
  let timer = SingleAssignmentDisposable()
  private let serializer = DeliverySerializer()
  private let isDisposed = Atomic(false)
  // Called only in the serializer's turn.
  private let action: @Sendable () -> Void

  init<State>(_ state: State, _ action: @escaping (State) -> State) {
    var state = state
    self.action = uncheckedSendable { state = action(state) }
  }

  /// Requests another run.
  func tick() {
    serializer.send((), to: self)
  }

  func receive(_: Void) {
    if !isDisposed.load(ordering: .relaxed) { action() }
  }

  func dispose() {
    isDisposed.store(true, ordering: .relaxed)
    timer.dispose()
  }
}
