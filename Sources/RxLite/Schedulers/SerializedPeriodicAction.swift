import Synchronization

/// Runs a periodic action on a scheduler that may run several actions at a time.
///
/// If a run becomes due on another thread during a run, the thread of the current run executes it afterwards.
final class SerializedPeriodicAction<State>: Disposable, MessageRecipient {
  let timer = SingleAssignmentDisposable()
  private let serializer = DeliverySerializer()
  private let isDisposed = Atomic(false)
  // `action` and `state` are used only in the serializer's turn.
  private nonisolated(unsafe) let action: (State) -> State
  private nonisolated(unsafe) var state: State

  init(_ state: State, _ action: @escaping (State) -> State) {
    self.state = state
    self.action = action
  }

  /// Requests another run.
  func tick() {
    serializer.send((), to: self)
  }

  func receive(_: Void) {
    if !isDisposed.load(ordering: .relaxed) { state = action(state) }
  }

  func dispose() {
    isDisposed.store(true, ordering: .relaxed)
    timer.dispose()
  }
}
