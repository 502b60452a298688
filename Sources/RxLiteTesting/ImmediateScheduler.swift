public import Dispatch
public import RxLite

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A scheduler that runs everything at once, timers included: for tests that are about what arrives, not about when.
///
/// ```swift
/// let typed = PublishSubject<String>()
/// let settled = typed.debounce(.seconds(1), scheduler: ImmediateScheduler())
/// let subscription = settled.subscribe(onNext: { found.append($0) })
/// typed.onNext("swift")
/// #expect(found == ["swift"])
/// ```
///
/// Time stands still on it. A timer with a period goes on until it is disposed: give `interval` a `take`, and use a `TestScheduler`
/// for operators that start their timer anew without end, like `buffer` and `window`, and for `timeout`, whose time is up at
/// once. Recursion does not grow the stack. It may be used on any thread, and runs its work there.
public final class ImmediateScheduler: SchedulerType, Sendable {
  /// The time that was given to the initializer.
  public let now: RxTime

  /// Makes a scheduler.
  ///
  /// - Parameter now: the time that it shows for ever.
  public init(now: RxTime = Date(timeIntervalSince1970: 0)) {
    self.now = now
  }

  /// Runs an action.
  ///
  /// - Parameters:
  ///   - state: handed to the action.
  ///   - action: what to do.
  /// - Returns: what the action has returned.
  public func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    action(state)
  }

  /// Runs an action, without waiting.
  ///
  /// - Parameters:
  ///   - state: handed to the action.
  ///   - dueTime: ignored.
  ///   - action: what to do; that of `.never` does not run.
  /// - Returns: what the action has returned.
  public func scheduleRelative<StateType>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    if case .never = dueTime { Disposables.create() } else { action(state) }
  }
}
