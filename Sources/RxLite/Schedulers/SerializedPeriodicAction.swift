import ReactiveNetworkLock

/// Runs a periodic action on a scheduler that may run several actions at a time.
///
/// If a run becomes due on another thread during a run, the thread of the current run executes it afterwards.
final class SerializedPeriodicAction: Disposable, MessageRecipient {
  // A closure alone would gain a thunk each time it passes through the lock.
  private struct Action {
    let run: () -> Void
  }

  let timer = SingleAssignmentDisposable()
  private let serializer = DeliverySerializer()
  // Called only in the serializer's turn. Released by disposal, because the user may keep this object.
  private let action: Lock<Action?>

  init<State>(_ state: State, _ action: @escaping (State) -> State) {
    var state = state
    self.action = Lock(Action(run: { state = action(state) }))
  }

  /// Requests another run.
  func tick() {
    serializer.send((), to: self)
  }

  func receive(_: Void) {
    action.withLock { $0 }?.run()
  }

  func dispose() {
    let released = action.withLock { $0.take() }
    timer.dispose()
    // Outside the lock, because the release may run user code.
    withExtendedLifetime(released) {}
  }
}
