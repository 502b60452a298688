import ReactiveNetworkLock

extension ImmediateSchedulerType {
  /// Schedules an action that may schedule itself again.
  ///
  /// If a run calls `recurse` and the scheduler starts the new run inside that call, the new run waits until
  /// the outer run has returned, so the stack does not grow with the number of runs. A call of `recurse` from
  /// inside a run of another recursion is not deferred.
  ///
  /// - Parameters:
  ///   - state: passed to the first run.
  ///   - action: the work; each call of `recurse` schedules another run.
  /// - Returns: a disposable that cancels all scheduled runs.
  @preconcurrency public func scheduleRecursive<State>(
    _ state: State, action: @escaping @Sendable (_ state: State, _ recurse: @escaping (State) -> Void) -> Void
  ) -> any Disposable {
    scheduleRecursive(state, yields: false, action: action)
  }

  /// Schedules an action that may schedule itself again.
  ///
  /// - Parameters:
  ///   - state: passed to the first run.
  ///   - yields: whether a run that starts inside `recurse` waits until the subscription that is being set up
  ///     on the thread is complete; only then can an endless recursion be disposed.
  ///   - action: the work; each call of `recurse` schedules another run.
  /// - Returns: a disposable that cancels all scheduled runs.
  @usableFromInline func scheduleRecursive<State>(
    _ state: State, yields: Bool,
    action: @escaping (_ state: State, _ recurse: @escaping (State) -> Void) -> Void
  ) -> any Disposable {
    let pending = CompositeDisposable()
    let recursion = RecursiveAction(yields: yields)
    func execute(_ state: State, _ key: CompositeDisposable.DisposeKey) {
      pending.removeWithoutDisposing(for: key)
      if !pending.isDisposed { action(state, run) }
    }
    func run(_ state: State) {
      let step = SingleAssignmentDisposable()
      guard let key = pending.insert(step) else { return }
      let start = uncheckedSendable { (state: State) in
        if recursion.isScheduling {
          recursion.deferRun { execute(state, key) }
        } else {
          recursion.run { execute(state, key) }
        }
        return Disposables.create()
      }
      recursion.scheduleNext { step.setDisposable(schedule(state, action: start)) }
    }
    run(state)
    return pending
  }
}

extension SchedulerType {
  /// Schedules an action that may schedule itself again, each time after a delay of its choice.
  ///
  /// A run that the scheduler starts at once waits until the subscription that is being set up on the thread
  /// is complete.
  @usableFromInline func scheduleRecursive<State>(
    _ state: State, dueTime: RxTimeInterval,
    action: @escaping (State, _ recurse: @escaping (State, RxTimeInterval) -> Void) -> Void
  ) -> any Disposable {
    let pending = SerialDisposable()
    let recursion = RecursiveAction(yields: true)
    func execute(_ state: State) {
      if !pending.isDisposed { action(state, run) }
    }
    func run(_ state: State, _ dueTime: RxTimeInterval) {
      if pending.isDisposed { return }
      let step = SingleAssignmentDisposable()
      pending.disposable = step
      let start = uncheckedSendable { (state: State) in
        if recursion.isScheduling {
          recursion.deferRun { execute(state) }
        } else {
          recursion.run { execute(state) }
        }
        return Disposables.create()
      }
      recursion.scheduleNext { step.setDisposable(scheduleRelative(state, dueTime: dueTime, action: start)) }
    }
    run(state, dueTime)
    return pending
  }
}

/// The runs of one recursive action that follow each other on a thread.
///
/// A scheduler may start a run inside the call that schedules it. If a run of the same recursion makes that
/// call, the new run waits until the calling run has returned, as it would on any other scheduler: recursion
/// becomes a loop. If a nested run of another recursion makes the call, the new run is not deferred.
final class RecursiveAction: Sendable {
  /// The state that a thread keeps for the recursion whose run it executes.
  struct Frame {
    var recursion: RecursiveAction?
    /// Whether the run has called the scheduler and that call has not returned yet.
    var isScheduling = false
    var waiting = Queue<() -> Void>()
  }

  private let yields: Bool

  init(yields: Bool) {
    self.yields = yields
  }

  /// Whether the caller is inside a call of the scheduler that a run of this recursion made on this thread.
  var isScheduling: Bool {
    let trampoline = Trampoline.current
    return trampoline.frame.isScheduling && trampoline.frame.recursion === self
  }

  /// Calls the scheduler, which may start the new run inside that call.
  func scheduleNext(_ schedule: () -> Void) {
    let trampoline = Trampoline.current
    guard trampoline.frame.recursion === self, !trampoline.frame.isScheduling else { return schedule() }
    trampoline.frame.isScheduling = true
    schedule()
    trampoline.frame.isScheduling = false
  }

  /// Executes a run, and then the runs that were started inside it.
  func run(_ body: () -> Void) {
    let trampoline = Trampoline.current
    var frame = Frame(recursion: self)
    swap(&trampoline.frame, &frame)
    body()
    while let next = trampoline.frame.waiting.popFirst() { next() }
    swap(&trampoline.frame, &frame)
  }

  /// Defers a run until the run that is scheduling it has returned.
  func deferRun(_ body: @escaping () -> Void) {
    let trampoline = Trampoline.current
    if yields, trampoline.isActive {
      trampoline.queue.append { self.run(body) }
    } else {
      trampoline.frame.waiting.append(body)
    }
  }
}
