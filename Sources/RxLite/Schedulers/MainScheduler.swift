import Dispatch
import Foundation
import Synchronization

/// Runs work on the main queue: at once where the caller is on it already and nothing waits, otherwise after
/// what waits.
///
/// Somebody has to drain the main queue. An application with a run loop does; a command-line program on Linux
/// must end its main function with `dispatchMain()`, `RunLoop.main.run()` or an `async` main, or what is
/// scheduled here never runs. Use `SerialDispatchQueueScheduler` where nobody does.
///
/// Meant for `observe(on:)`; for `subscribe(on:)` prefer `ConcurrentMainScheduler`, which never queues on the
/// main queue.
///
/// `@unchecked Sendable` is restated from the superclass; what is added is constant or atomic.
public final class MainScheduler: SerialDispatchQueueScheduler, @unchecked Sendable {
  /// The scheduler that runs work at once where it can.
  public static let instance = MainScheduler()

  /// A scheduler that always goes through the main queue, even when called on it.
  public static let asyncInstance = SerialDispatchQueueScheduler(serialQueue: .main)

  private let waiting = Atomic(0)

  /// Makes a scheduler of the main queue, with an order of its own.
  public init() {
    super.init(serialQueue: .main)
  }

  /// Stops the process unless the caller is on the main queue.
  ///
  /// For places that only a mistake in the program can reach from elsewhere. Work for another queue that the main thread
  /// runs, as inside of `sync`, is not on the main queue.
  ///
  /// - Parameter errorMessage: what to say; has a default.
  public static func ensureExecutingOnScheduler(errorMessage: String? = nil) {
    guard DispatchQueue.isMain else {
      preconditionFailure(errorMessage ?? "Not on the main queue: use observe(on: MainScheduler.instance).")
    }
  }

  /// Stops the process unless the caller is on the main thread or the main queue.
  ///
  /// For places that only a mistake in the program can reach from elsewhere. Under `dispatchMain()` or an `async` main,
  /// Linux gives the main queue a thread of the pool once the main thread is gone: it counts as the main thread.
  ///
  /// - Parameter errorMessage: what to say; has a default.
  public static func ensureRunningOnMainThread(errorMessage: String? = nil) {
    guard Thread.isMainThread || DispatchQueue.isMain else {
      preconditionFailure(errorMessage ?? "Not on the main thread: use observe(on: MainScheduler.instance).")
    }
  }

  override func scheduleInternal<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    let isFirst = waiting.add(1, ordering: .acquiringAndReleasing).oldValue == 0
    if isFirst, DispatchQueue.isMain {
      defer { waiting.subtract(1, ordering: .acquiringAndReleasing) }
      return action(state)
    }
    let scheduled = ScheduledAction { action(state) }
    scheduled.start(on: actions.queue) { self.waiting.subtract(1, ordering: .acquiringAndReleasing) }
    return scheduled
  }
}
