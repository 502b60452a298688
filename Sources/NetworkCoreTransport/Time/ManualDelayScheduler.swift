public import Foundation
import ReactiveNetworkLock

/// A scheduler whose time advances only when a test calls `advance(by:)`.
///
/// ```swift
/// let time = ManualDelayScheduler()
/// let provider = NetworkProvider<GitHub>(stubClosure: NetworkProvider.delayedStub(5), scheduler: time)
/// provider.request(.zen) { print($0) }
/// time.advance(by: .seconds(5))  // the stub responds before this returns
/// ```
public final class ManualDelayScheduler: DelayScheduler {
  private struct Entry {
    let due: Duration
    let action: PendingAction
  }

  private struct State {
    var uptime = Duration.zero
    /// Sorted by time; entries with equal times are in the order in which they were added.
    var entries: [Entry] = []
  }

  private let start: Date
  private let state = Lock(State())

  /// Makes a scheduler.
  ///
  /// - Parameter now: the initial time.
  public init(now: Date = Date(timeIntervalSince1970: 0)) {
    start = now
  }

  /// The current time: the initial time plus the time added by `advance(by:)`.
  public var now: Date { start.addingTimeInterval(uptime.inSeconds) }

  /// The time added by `advance(by:)`.
  public var uptime: Duration { state.withLock { $0.uptime } }

  /// The number of pending actions.
  public var pendingCount: Int {
    state.withLock { $0.entries.map(\.action) }.count { !$0.isCancelled }
  }

  /// Runs an action when the time has advanced by `delay`, never before this method returns.
  public func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    let pending = PendingAction(action)
    state.withLock { state in
      let due = state.uptime + max(.zero, delay)
      let index = state.entries.firstIndex { $0.due > due } ?? state.entries.endIndex
      state.entries.insert(Entry(due: due, action: pending), at: index)
    }
    return pending
  }

  /// Advances the time and runs the actions that become due, on the calling thread, each at its time.
  ///
  /// - Parameter duration: the time to add; zero runs the actions that are already due.
  public func advance(by duration: Duration) {
    let end = state.withLock { $0.uptime + duration }
    while let action = next(until: end) { action.run() }
    state.withLock { $0.uptime = max($0.uptime, end) }
  }

  private func next(until end: Duration) -> PendingAction? {
    state.withLock { state in
      guard let entry = state.entries.first, entry.due <= end else { return nil }
      state.entries.removeFirst()
      state.uptime = max(state.uptime, entry.due)
      return entry.action
    }
  }
}
