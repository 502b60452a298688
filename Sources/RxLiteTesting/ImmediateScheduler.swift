public import Dispatch
public import RxLite

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A scheduler that runs everything at once, including timers, for tests that do not depend on time.
///
/// ```swift
/// let typed = PublishSubject<String>()
/// let settled = typed.debounce(.seconds(1), scheduler: ImmediateScheduler())
/// let subscription = settled.subscribe(onNext: { found.append($0) })
/// typed.onNext("swift")
/// #expect(found == ["swift"])
/// ```
///
/// Its clock does not advance. A periodic timer runs until it is disposed: use `take` with `interval`. Use a
/// `TestScheduler` for operators that restart their timer without end, such as `buffer` and `window`, and for
/// `timeout`, which fails at once. Recursion does not grow the stack. The scheduler may be used on any
/// thread and runs its work there.
public final class ImmediateScheduler: SchedulerType, Sendable {
  /// The time that was passed to the initializer.
  public let now: RxTime

  /// Creates a scheduler.
  ///
  /// - Parameter now: the fixed time of the scheduler.
  public init(now: RxTime = Date(timeIntervalSince1970: 0)) {
    self.now = now
  }

  /// Runs an action.
  ///
  /// - Parameters:
  ///   - state: passed to the action.
  ///   - action: the work.
  /// - Returns: the result of the action.
  @preconcurrency public func schedule<StateType>(
    _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    action(state)
  }

  /// Runs an action at once.
  ///
  /// - Parameters:
  ///   - state: passed to the action.
  ///   - dueTime: ignored.
  ///   - action: the work, which does not run for `.never`.
  /// - Returns: the result of the action.
  @preconcurrency public func scheduleRelative<StateType>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    if case .never = dueTime { Disposables.create() } else { action(state) }
  }
}
