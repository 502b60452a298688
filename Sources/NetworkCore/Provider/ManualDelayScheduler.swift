public import Foundation
import Locking

/// A scheduler whose time passes when a test says so.
///
/// ```swift
/// let time = ManualDelayScheduler()
/// let provider = NetworkProvider<GitHub>(stubClosure: NetworkProvider.delayedStub(5), scheduler: time)
/// provider.request(.zen) { print($0) }
/// time.advance(by: 5)  // the stub answers before this returns
/// ```
public final class ManualDelayScheduler: DelayScheduler {
  private struct Entry {
    let due: Date
    let action: PendingAction
  }

  private struct State {
    var now: Date
    /// By time, those of one time in the order in which they came.
    var entries: [Entry] = []
  }

  private let state: Lock<State>

  /// Makes a scheduler.
  ///
  /// - Parameter now: the time to begin with.
  public init(now: Date = Date(timeIntervalSince1970: 0)) {
    state = Lock(State(now: now))
  }

  /// The time: that to begin with, and what `advance(by:)` has added.
  public var now: Date { state.withLock { $0.now } }

  /// How many actions wait.
  public var pendingCount: Int {
    state.withLock { $0.entries.map(\.action) }.count { !$0.isCancelled }
  }

  /// Keeps an action until so much time has passed; never runs it before it returns.
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

  /// Lets time pass, and runs what is due then on the calling thread, each action at its time.
  ///
  /// - Parameter seconds: how much time; 0 runs what is due already.
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
