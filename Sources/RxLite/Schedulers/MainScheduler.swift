import Dispatch
import Foundation
import Synchronization

/// A scheduler that runs work on the main queue: at once if the caller is already on it and nothing is
/// pending, otherwise after the pending work.
///
/// The program must drain the main queue. An application with a run loop does. On Linux, a command-line
/// program must have an `async` main function, or end its main function with `dispatchMain()` or
/// `RunLoop.main.run()`; otherwise scheduled work never runs. If nothing drains the main queue, use
/// `SerialDispatchQueueScheduler`.
///
/// It is meant for `observe(on:)`. For `subscribe(on:)` prefer `ConcurrentMainScheduler`, which always runs
/// work at once if the caller is on the main queue.
///
/// Sendable as the superclass; the added state is constant or atomic.
public final class MainScheduler: SerialDispatchQueueScheduler, @unchecked Sendable {
  /// The scheduler that runs work at once if it can.
  public static let instance = MainScheduler()

  /// A scheduler that always queues its work on the main queue, even if the caller is already on it.
  public static let asyncInstance = SerialDispatchQueueScheduler(serialQueue: .main)

  private let waiting = Atomic(0)

  /// Creates a scheduler on the main queue, which keeps only its own actions in order.
  public init() {
    super.init(serialQueue: .main)
  }

  /// Stops the process unless the caller is on the main queue.
  ///
  /// Use it in code that only a programming error can reach from another queue. If the main thread runs work
  /// of another queue, for example inside `sync`, that work is not on the main queue.
  ///
  /// - Parameter errorMessage: the message; `nil` for a default.
  public static func ensureExecutingOnScheduler(errorMessage: String? = nil) {
    guard DispatchQueue.isMain else {
      preconditionFailure(errorMessage ?? "Not on the main queue: use observe(on: MainScheduler.instance).")
    }
  }

  /// Stops the process unless the caller is on the main thread or the main queue.
  ///
  /// Use it in code that only a programming error can reach from another thread. On Linux, `dispatchMain()`
  /// and an `async` main function end the main thread, and a thread of the pool then runs the main queue.
  /// That thread counts as the main thread.
  ///
  /// - Parameter errorMessage: the message; `nil` for a default.
  public static func ensureRunningOnMainThread(errorMessage: String? = nil) {
    guard Thread.isMainThread || DispatchQueue.isMain else {
      preconditionFailure(errorMessage ?? "Not on the main thread: use observe(on: MainScheduler.instance).")
    }
  }

  /// Runs an action at once if the caller is on the main queue and nothing is pending, otherwise after the
  /// pending work.
  ///
  /// - Parameters:
  ///   - state: passed to the action.
  ///   - action: the work. The disposable that it returns is disposed with the scheduled work.
  /// - Returns: a disposable that cancels the action, or disposes the action's result.
  @preconcurrency public override func schedule<StateType>(
    _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    let isFirst = waiting.add(1, ordering: .acquiringAndReleasing).oldValue == 0
    if isFirst, DispatchQueue.isMain {
      defer { waiting.subtract(1, ordering: .acquiringAndReleasing) }
      return action(state)
    }
    return enqueue(state, action) { self.waiting.subtract(1, ordering: .acquiringAndReleasing) }
  }
}
