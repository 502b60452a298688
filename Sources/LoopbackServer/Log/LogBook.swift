import Locking

/// The log while it is written, and who waits for a change of it.
final class LogBook: Sendable {
  struct Watcher: Sendable {
    /// When to call `expire`, as `monotonicNow` counts.
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

  /// Changes the log; watchers learn of it at the next `notify`.
  ///
  /// The body of an answer is sent in here: who has received it and then takes a snapshot finds it counted. The
  /// socket does not block, and no code of a user runs.
  func record<Result>(_ change: (inout LoopbackServer.Log) -> Result) -> Result {
    state.withLock { state in
      state.hasChanged = true
      return change(&state.log)
    }
  }

  /// Adds somebody to tell of changes; returns `nil` where there will be none any more.
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

  /// Tells the watchers of changes and of time; returns when the next deadline is.
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

  /// Tells all watchers that nothing will change any more.
  func close() {
    let watchers = state.withLock { state in
      state.isClosed = true
      defer { state.watchers = [:] }
      return state.watchers
    }
    for watcher in watchers.values { watcher.expire() }
  }
}
