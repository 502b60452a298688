import Foundation

/// The calls of a `ConcurrencyLimit`: the number of running calls, and the waiting calls.
struct ConcurrencyLimitState {
  /// A waiting call.
  struct WaitingCall {
    let key: Int
    let priority: Int
    let start: @Sendable (Result<ConcurrencyLimit.Permit, OverloadError>) -> Void
    var timer: (any Cancellable)?
  }

  /// The decision about a new call.
  enum Admission {
    case runs
    case waits(key: Int, evicted: WaitingCall?)
    case refused
  }

  private(set) var adaptiveLimit: AdaptiveLimit
  /// The number of running calls, and of those that have a place.
  private(set) var runningCount = 0
  /// Sorted by priority, the highest first; calls of one priority stay in their order.
  private var waiting: [WaitingCall] = []
  /// The number of calls, the first of the queue, that have a place and start with `startNext()`.
  private var placedCount = 0
  private var lastKey = 0

  init(_ adaptiveLimit: AdaptiveLimit) {
    self.adaptiveLimit = adaptiveLimit
  }

  /// The number of calls without a place.
  var waitingCount: Int { waiting.count - placedCount }

  mutating func admit(
    _ start: @escaping @Sendable (Result<ConcurrencyLimit.Permit, OverloadError>) -> Void, _ priority: Int,
    maxWaiting: Int
  ) -> Admission {
    guard runningCount >= adaptiveLimit.limit else {
      runningCount += 1
      return .runs
    }
    var evicted: WaitingCall?
    if waitingCount >= maxWaiting {
      guard let last = waiting.last, last.priority < priority else { return .refused }
      evicted = waiting.removeLast()
    }
    lastKey += 1
    let index = waiting.lastIndex { $0.priority >= priority }.map { $0 + 1 } ?? 0
    waiting.insert(WaitingCall(key: lastKey, priority: priority, start: start), at: index)
    return .waits(key: lastKey, evicted: evicted)
  }

  /// Stores the timer of a call; returns `false` if the call no longer waits.
  mutating func set(_ timer: any Cancellable, of key: Int) -> Bool {
    guard let index = waiting.firstIndex(where: { $0.key == key }) else { return false }
    waiting[index].timer = timer
    return true
  }

  /// Removes a call from the queue; returns `nil` if it no longer waits.
  ///
  /// If the call has a place, the next call gets that.
  mutating func remove(_ key: Int) -> WaitingCall? {
    guard let index = waiting.firstIndex(where: { $0.key == key }) else { return nil }
    if waitingCount == 0 {
      placedCount -= 1
      runningCount -= 1
    }
    return waiting.remove(at: index)
  }

  /// Ends a running call; returns the number of waiting calls that get a place, and so the number of calls of
  /// `startNext()` to make.
  ///
  /// There are none while more calls run than an adaptive limit now allows, and two if it has just grown.
  mutating func end(
    _ ending: ConcurrencyLimit.Permit.Ending, since begin: TimeInterval, at now: TimeInterval
  ) -> Int {
    adaptiveLimit.note(ending, since: begin, at: now, runningCount: runningCount)
    runningCount -= 1
    let count = max(0, min(adaptiveLimit.limit - runningCount, waitingCount))
    runningCount += count
    placedCount += count
    return count
  }

  /// Removes the first call that has a place from the queue; returns `nil` if there is none.
  mutating func startNext() -> WaitingCall? {
    guard placedCount > 0 else { return nil }
    placedCount -= 1
    return waiting.removeFirst()
  }
}
