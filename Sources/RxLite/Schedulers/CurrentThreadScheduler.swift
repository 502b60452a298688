/// Runs work on the current thread: at once where nothing is running, otherwise after what is running.
public final class CurrentThreadScheduler: ImmediateSchedulerType, Sendable {
  /// The one instance; it has no state of its own.
  public static let instance = CurrentThreadScheduler()

  /// Whether no work of this scheduler is running on the current thread.
  public static var isScheduleRequired: Bool { !Trampoline.current.isActive }

  /// Schedules an action on the current thread.
  ///
  /// - Parameters:
  ///   - state: handed to the action.
  ///   - action: what to do.
  /// - Returns: disposing it takes the action back.
  public func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    let trampoline = Trampoline.current
    if !trampoline.isActive {
      var result = Disposables.create()
      Trampoline.run { result = action(state) }
      return result
    }
    let scheduled = SingleAssignmentDisposable()
    trampoline.queue.append {
      guard !scheduled.isDisposed else { return }
      scheduled.setDisposable(action(state))
    }
    return scheduled
  }
}
