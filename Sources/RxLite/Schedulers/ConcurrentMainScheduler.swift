#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import Dispatch

/// A scheduler that runs work on the main queue, and at once if the caller is already on it.
///
/// It is meant for `subscribe(on:)`. Unlike with `MainScheduler`, an action that is scheduled from the main
/// queue never waits, so it can overtake pending actions. As with `MainScheduler`, the program must drain the
/// main queue.
public final class ConcurrentMainScheduler: DispatchScheduler, Sendable {
  /// A span of time in seconds.
  public typealias TimeInterval = Double

  /// A point in time.
  public typealias Time = Date

  /// The shared instance.
  public static let instance = ConcurrentMainScheduler()

  let queue = DispatchQueue.main
  let leeway = DispatchTimeInterval.nanoseconds(0)

  private init() {}

  /// Runs an action at once if the caller is on the main queue, otherwise schedules it there.
  ///
  /// - Parameters:
  ///   - state: passed to the action.
  ///   - action: the work. The disposable that it returns is disposed with the scheduled work.
  /// - Returns: a disposable that cancels the action, or disposes the action's result.
  @preconcurrency public func schedule<StateType>(
    _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    DispatchQueue.isMain ? action(state) : enqueue(state, action)
  }
}
