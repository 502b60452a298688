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
  private(set) var runningCount = 0
  /// Sorted by priority, the highest first; calls of one priority stay in their order.
  private(set) var waiting: [WaitingCall] = []
  private var lastKey = 0

  init(_ adaptiveLimit: AdaptiveLimit) {
    self.adaptiveLimit = adaptiveLimit
  }

  mutating func admit(
    _ start: @escaping @Sendable (Result<ConcurrencyLimit.Permit, OverloadError>) -> Void, _ priority: Int,
    maxWaiting: Int
  ) -> Admission {
    guard runningCount >= adaptiveLimit.limit else {
      runningCount += 1
      return .runs
    }
    var evicted: WaitingCall?
    if waiting.count >= maxWaiting {
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
  mutating func remove(_ key: Int) -> WaitingCall? {
    waiting.firstIndex { $0.key == key }.map { waiting.remove(at: $0) }
  }

  /// Ends a running call; returns the calls that start in its place.
  ///
  /// There are none while more calls run than an adaptive limit now allows, and two if it has just grown.
  mutating func end(
    _ ending: ConcurrencyLimit.Permit.Ending, since begin: TimeInterval, at now: TimeInterval
  ) -> [WaitingCall] {
    adaptiveLimit.note(ending, since: begin, at: now, runningCount: runningCount)
    runningCount -= 1
    var next: [WaitingCall] = []
    while runningCount < adaptiveLimit.limit, !waiting.isEmpty {
      runningCount += 1
      next.append(waiting.removeFirst())
    }
    return next
  }
}
