import ReactiveNetworkLock

/// The current log, and the watchers that wait for it to change.
final class LogStore: Sendable {
  struct Watcher: Sendable {
    /// The time to call `expire`, in nanoseconds of `monotonicNow`.
    var deadline: UInt64
    var signal: @Sendable () -> Void
    var expire: @Sendable () -> Void
  }

  private struct State {
    var log = LoopbackServer.Log()
    var isClosed = false
    var hasChanged = false
    var lastToken = 0
    var watchers: [Int: Watcher] = [:]
  }

  private let state = Lock(State())

  var snapshot: (log: LoopbackServer.Log, isClosed: Bool) {
    state.withLock { ($0.log, $0.isClosed) }
  }

  /// Changes the log; watchers are notified by the next `notify`.
  ///
  /// The body of a response is sent inside this call, so that a snapshot counts the response once a peer has
  /// received its last byte. The socket does not block, and no user code runs.
  func record<Result>(_ change: (inout LoopbackServer.Log) -> Result) -> Result {
    state.withLock { state in
      state.hasChanged = true
      return change(&state.log)
    }
  }

  /// Adds a watcher; returns `nil` if the log is closed, because it will not change again.
  func add(_ watcher: Watcher) -> Int? {
    state.withLock { state in
      guard !state.isClosed else { return nil }
      state.lastToken += 1
      state.watchers[state.lastToken] = watcher
      return state.lastToken
    }
  }

  func remove(_ token: Int) {
    let removed = state.withLock { $0.watchers.removeValue(forKey: token) }
    withExtendedLifetime(removed) {}
  }

  /// Notifies the watchers of changes and expired deadlines; returns the next deadline.
  func notify(now: () -> UInt64) -> UInt64 {
    let (changed, expired, next) = state.withLock { state -> ([Watcher], [Watcher], UInt64) in
      defer { state.hasChanged = false }
      guard !state.watchers.isEmpty else { return ([], [], .max) }
      let now = now()
      let expired = state.watchers.filter { $0.value.deadline <= now }
      for token in expired.keys { state.watchers[token] = nil }
      let left = state.watchers.values
      return (state.hasChanged ? Array(left) : [], Array(expired.values), left.map(\.deadline).min() ?? .max)
    }
    for watcher in changed { watcher.signal() }
    for watcher in expired { watcher.expire() }
    return next
  }

  /// Closes the log, and notifies all watchers that it will not change again.
  func close() {
    let watchers = state.withLock { state in
      state.isClosed = true
      return exchange(&state.watchers, with: [:])
    }
    for watcher in watchers.values { watcher.expire() }
  }
}
