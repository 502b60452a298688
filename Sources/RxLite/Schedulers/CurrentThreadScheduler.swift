/// Runs work on the current thread, at once if nothing is running, otherwise after the running work.
public final class CurrentThreadScheduler: ImmediateSchedulerType, Sendable {
  /// The shared instance, which has no state of its own.
  public static let instance = CurrentThreadScheduler()

  /// Whether no work of this scheduler is running on the current thread.
  public static var isScheduleRequired: Bool { !Trampoline.current.isActive }

  /// Schedules an action on the current thread.
  ///
  /// - Parameters:
  ///   - state: passed to the action.
  ///   - action: the work.
  /// - Returns: a disposable that cancels the action.
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
