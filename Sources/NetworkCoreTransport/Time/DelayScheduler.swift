public import Foundation

/// Runs actions after a delay.
///
/// A provider uses it for stubs, retries and every other delay.
///
/// In a test, give the provider a `ManualDelayScheduler` or your own scheduler, and advance the time
/// explicitly.
public protocol DelayScheduler: Sendable {
  /// The current time.
  var now: Date { get }

  /// Runs an action after a delay, on a thread that the scheduler chooses.
  ///
  /// - Parameters:
  ///   - seconds: the delay; 0 or less runs the action without a delay.
  ///   - action: the closure to run, once.
  /// - Returns: a token that cancels the action if it has not run yet.
  func schedule(after seconds: TimeInterval, _ action: @escaping @Sendable () -> Void) -> any Cancellable
}

/// Runs actions on a global queue of Dispatch; the default scheduler of a provider.
public struct DispatchDelayScheduler: DelayScheduler {
  /// Makes a scheduler.
  public init() {}

  /// The system's time.
  public var now: Date { Date() }

  /// Runs an action after a delay, on a global queue.
  public func schedule(
    after seconds: TimeInterval, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    let item = PendingAction(action)
    DispatchQueue.global().asyncAfter(deadline: .now() + max(0, seconds)) { item.run() }
    return item
  }
}
