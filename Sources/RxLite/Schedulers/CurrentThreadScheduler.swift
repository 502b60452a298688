import ReactiveNetworkLock

/// A scheduler that runs work on the current thread: at once if no work is running, otherwise afterwards.
public final class CurrentThreadScheduler: ImmediateSchedulerType, Sendable {
  /// The shared instance, which has no state.
  public static let instance = CurrentThreadScheduler()

  /// Whether no work of this scheduler is running on the current thread.
  public static var isScheduleRequired: Bool { !Trampoline.current.isActive }

  /// Schedules an action on the current thread.
  ///
  /// - Parameters:
  ///   - state: passed to the action.
  ///   - action: the work.
  /// - Returns: a disposable that cancels the action.
  @preconcurrency public func schedule<StateType>(
    _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
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
