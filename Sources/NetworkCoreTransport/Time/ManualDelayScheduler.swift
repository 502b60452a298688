public import Foundation
import ReactiveNetworkLock

/// A scheduler whose time advances only when a test calls `advance(by:)`.
///
/// ```swift
/// let time = ManualDelayScheduler()
/// let provider = NetworkProvider<GitHub>(stubClosure: NetworkProvider.delayedStub(5), scheduler: time)
/// provider.request(.zen) { print($0) }
/// time.advance(by: 5)  // the stub responds before this returns
/// ```
public final class ManualDelayScheduler: DelayScheduler {
  private struct Entry {
    let due: Date
    let action: PendingAction
  }

  private struct State {
    var now: Date
    /// Sorted by time; entries with equal times are in the order in which they were added.
    var entries: [Entry] = []
  }

  private let state: Lock<State>

  /// Makes a scheduler.
  ///
  /// - Parameter now: the initial time.
  public init(now: Date = Date(timeIntervalSince1970: 0)) {
    state = Lock(State(now: now))
  }

  /// The current time: the initial time plus the time added by `advance(by:)`.
  public var now: Date { state.withLock { $0.now } }

  /// The number of pending actions.
  public var pendingCount: Int {
    state.withLock { $0.entries.map(\.action) }.count { !$0.isCancelled }
  }

  /// Runs an action when the time has advanced by `seconds`, never before this method returns.
  public func schedule(
    after seconds: TimeInterval, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    let pending = PendingAction(action)
    state.withLock { state in
      let due = state.now.addingTimeInterval(max(0, seconds))
      let index = state.entries.firstIndex { $0.due > due } ?? state.entries.endIndex
      state.entries.insert(Entry(due: due, action: pending), at: index)
    }
    return pending
  }

  /// Advances the time and runs the actions that become due, on the calling thread, each at its time.
  ///
  /// - Parameter seconds: the time to add; 0 runs the actions that are already due.
  public func advance(by seconds: TimeInterval) {
    let end = state.withLock { $0.now.addingTimeInterval(seconds) }
    while let action = next(until: end) { action.run() }
    state.withLock { $0.now = max($0.now, end) }
  }

  private func next(until end: Date) -> PendingAction? {
    state.withLock { state in
      guard let entry = state.entries.first, entry.due <= end else { return nil }
      state.entries.removeFirst()
      state.now = max(state.now, entry.due)
      return entry.action
    }
  }
}
