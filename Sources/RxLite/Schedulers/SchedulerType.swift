#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import Dispatch

/// A span of time.
public typealias RxTimeInterval = DispatchTimeInterval

/// A point in time.
public typealias RxTime = Date

/// Runs work: now or in a while, here or elsewhere.
public protocol ImmediateSchedulerType {
  /// Schedules an action to run as soon as possible.
  ///
  /// - Parameters:
  ///   - state: handed to the action.
  ///   - action: what to do; what it returns is disposed with the scheduled work.
  /// - Returns: disposing it takes the action back, or disposes what the action returned.
  func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable
}

/// A scheduler with a clock.
public protocol SchedulerType: ImmediateSchedulerType {
  /// The scheduler's notion of the current time.
  var now: RxTime { get }

  /// Schedules an action to run after a while.
  ///
  /// - Parameters:
  ///   - state: handed to the action.
  ///   - dueTime: how long to wait; zero or less means as soon as possible.
  ///   - action: what to do.
  /// - Returns: disposing it takes the action back.
  func scheduleRelative<StateType>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable

  /// Schedules an action to run again and again.
  ///
  /// - Parameters:
  ///   - state: handed to the first run; each run returns the state of the next.
  ///   - startAfter: how long to wait for the first run.
  ///   - period: the time from one run to the next.
  ///   - action: what to do.
  /// - Returns: disposing it ends the runs.
  func schedulePeriodic<StateType>(
    _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
    action: @escaping (StateType) -> StateType
  ) -> any Disposable
}

extension SchedulerType {
  /// Schedules each run after the one before it, so runs never overlap and none is lost.
  public func schedulePeriodic<StateType>(
    _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
    action: @escaping (StateType) -> StateType
  ) -> any Disposable {
    var current = state
    return scheduleRecursive((), dueTime: startAfter) { (_: Void, recurse) in
      recurse((), period)
      current = action(current)
    }
  }

  /// Schedules an action that may schedule itself again, each time after a span of its choice.
  @usableFromInline func scheduleRecursive<State>(
    _ state: State, dueTime: RxTimeInterval,
    action: @escaping (State, _ recurse: @escaping (State, RxTimeInterval) -> Void) -> Void
  ) -> any Disposable {
    let pending = SerialDisposable()
    func run(_ state: State, _ dueTime: RxTimeInterval) {
      let step = SingleAssignmentDisposable()
      pending.disposable = step
      step.setDisposable(
        scheduleRelative(state, dueTime: dueTime) { state in
          action(state, run)
          return Disposables.create()
        })
    }
    run(state, dueTime)
    return pending
  }
}

extension ImmediateSchedulerType {
  /// Schedules an action that may schedule itself again.
  ///
  /// - Parameters:
  ///   - state: handed to the first run.
  ///   - action: what to do; each call of `recurse` schedules another run.
  /// - Returns: disposing it takes back all runs that are scheduled.
  public func scheduleRecursive<State>(
    _ state: State, action: @escaping (_ state: State, _ recurse: @escaping (State) -> Void) -> Void
  ) -> any Disposable {
    let pending = CompositeDisposable()
    func run(_ state: State) {
      let step = SingleAssignmentDisposable()
      guard let key = pending.insert(step) else { return }
      step.setDisposable(
        schedule(state) { state in
          pending.forget(key)
          if !pending.isDisposed { action(state, run) }
          return Disposables.create()
        })
    }
    run(state)
    return pending
  }
}
