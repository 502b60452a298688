public import Foundation

/// Runs actions later: what stubs, retries and everything else of a provider that waits a while waits on.
///
/// Tests give a provider a `ManualDelayScheduler`, or one of their own, and let time pass when they want.
public protocol DelayScheduler: Sendable {
  /// The time.
  var now: Date { get }

  /// Runs an action after a while, on a thread of the scheduler's choice.
  ///
  /// - Parameters:
  ///   - seconds: how long to wait; at once where it is 0 or less.
  ///   - action: what to run, once.
  /// - Returns: a token that keeps the action from being run.
  func schedule(after seconds: TimeInterval, _ action: @escaping @Sendable () -> Void) -> any Cancellable
}

/// Runs actions on a global queue of Dispatch: what a provider uses unless told otherwise.
public struct DispatchDelayScheduler: DelayScheduler {
  /// Makes a scheduler.
  public init() {}

  /// The system's time.
  public var now: Date { Date() }

  /// Runs an action after a while, on a global queue.
  public func schedule(
    after seconds: TimeInterval, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    let item = PendingAction(action)
    DispatchQueue.global().asyncAfter(deadline: .now() + max(0, seconds)) { item.run() }
    return item
  }
}
