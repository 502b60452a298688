import Foundation
import ReactiveNetworkLock

/// The calls of a `ConcurrencyLimit`: the number of running calls, and the waiting calls.
struct ConcurrencyLimitState {
  /// Identifies a waiting call.
  struct Key {
    let priority: Int
    /// The number in the queue of the priority.
    let number: Int
    /// Unlike `number`, it is never reused: a later queue of the same priority has the same numbers.
    let id: Int
  }

  /// A waiting call.
  struct WaitingCall {
    let id: Int
    let start: @Sendable (Result<ConcurrencyLimit.Permit, TransferError>) -> Void
    var timer: (any Cancellable)?
  }

  /// The decision about a new call.
  enum Admission {
    case runs
    case waits(key: Key, evicted: WaitingCall?)
    case refused
  }

  private(set) var adaptiveLimit: AdaptiveLimit
  /// The number of running calls, and of those that have a place.
  private(set) var runningCount = 0
  /// The queues that are not empty, by priority, the highest first.
  private var queues: [(priority: Int, calls: Queue<WaitingCall>)] = []
  /// The number of calls in the queues.
  private var queuedCount = 0
  /// The number of calls that have a place and start with `startNext()`; which ones is decided then.
  private var placedCount = 0
  private var lastID = 0
  /// The number of calls that have waited and started.
  private var startCount = 0
  private let newestFirstAbove: Int

  init(_ adaptiveLimit: AdaptiveLimit, newestFirstAbove: Int = .max) {
    self.adaptiveLimit = adaptiveLimit
    self.newestFirstAbove = newestFirstAbove
  }

  /// The number of calls without a place.
  var waitingCount: Int { queuedCount - placedCount }

  mutating func admit(
    _ start: @escaping @Sendable (Result<ConcurrencyLimit.Permit, TransferError>) -> Void, _ priority: Int,
    maxWaiting: Int
  ) -> Admission {
    guard runningCount >= adaptiveLimit.limit else {
      runningCount += 1
      return .runs
    }
    var evicted: WaitingCall?
    if waitingCount >= maxWaiting {
      guard let index = queueToShorten(for: priority, maxWaiting: maxWaiting) else { return .refused }
      let startsNewest = startsNewest
      evicted = dequeue(at: index) { startsNewest ? $0.popFirst() : $0.popLast() }
    }
    lastID += 1
    let index = queues.firstIndex { $0.priority <= priority } ?? queues.count
    if index == queues.count || queues[index].priority < priority {
      queues.insert((priority, Queue()), at: index)
    }
    queuedCount += 1
    let number = queues[index].calls.append(WaitingCall(id: lastID, start: start))
    return .waits(key: Key(priority: priority, number: number, id: lastID), evicted: evicted)
  }

  /// Returns the index of the queue that loses a call to a new one; `nil` if the new one is refused.
  ///
  /// The lowest priority loses, but not the eighth of the places that is kept for calls below the highest priority:
  /// otherwise none of them would wait for long enough to start.
  private func queueToShorten(for priority: Int, maxWaiting: Int) -> Int? {
    guard let highest = queues.first, let lowest = queues.last else { return nil }
    let top = max(priority, highest.priority)
    let topCount = (priority == top ? 1 : 0) + (highest.priority == top ? highest.calls.count : 0)
    let kept = maxWaiting / 8 + (maxWaiting % 8 >= 4 ? 1 : 0)
    let loser = queuedCount + 1 - topCount > kept ? min(priority, lowest.priority) : top
    // The new call is the last one of its priority.
    return loser == priority && !startsNewest ? nil : queues.firstIndex { $0.priority == loser }
  }

  /// Stores the timer of a call; returns `false` if the call no longer waits.
  mutating func set(_ timer: any Cancellable, of key: Key) -> Bool {
    guard let index = queueIndex(of: key) else { return false }
    queues[index].calls[key.number]?.timer = timer
    return true
  }

  /// Removes a call from the queue; returns `nil` if it no longer waits.
  ///
  /// If the call has a place, the next call gets that.
  mutating func remove(_ key: Key) -> WaitingCall? {
    guard let index = queueIndex(of: key) else { return nil }
    if waitingCount == 0 {
      placedCount -= 1
      runningCount -= 1
    }
    return dequeue(at: index) { $0.remove(key.number) }
  }

  /// Ends a running call; returns the number of waiting calls that get a place, and so the number of calls of
  /// `startNext()` to make.
  ///
  /// There are none while more calls run than an adaptive limit now allows, and two if it has just grown.
  mutating func end(
    _ ending: ConcurrencyLimit.Permit.Ending, since begin: TimeInterval, responded: TimeInterval,
    at now: TimeInterval
  ) -> Int {
    adaptiveLimit.note(ending, since: begin, responded: responded, at: now, runningCount: runningCount)
    runningCount -= 1
    let count = max(0, min(adaptiveLimit.limit - runningCount, waitingCount))
    runningCount += count
    placedCount += count
    return count
  }

  /// Removes the next call that has a place from the queue; returns `nil` if there is none.
  mutating func startNext() -> WaitingCall? {
    guard placedCount > 0 else { return nil }
    placedCount -= 1
    startCount += 1
    // In each eighth start, the priority does not count.
    if startCount.isMultiple(of: 8),
      let oldest = queues.indices.min(by: { firstID(in: $0) < firstID(in: $1) })
    {
      return dequeue(at: oldest) { $0.popFirst() }
    }
    let startsNewest = startsNewest
    return dequeue(at: 0) { startsNewest ? $0.popLast() : $0.popFirst() }
  }

  /// Whether so many calls wait that the newest ones, whose callers still wait, start first.
  private var startsNewest: Bool { queuedCount > newestFirstAbove }

  /// The identifier of the oldest call of a queue, which is smaller than those of newer calls.
  private func firstID(in index: Int) -> Int { queues[index].calls.first?.id ?? .max }

  /// Returns the index of the queue in which a call waits; `nil` if it no longer waits.
  private func queueIndex(of key: Key) -> Int? {
    queues.firstIndex { $0.priority == key.priority && $0.calls[key.number]?.id == key.id }
  }

  /// Removes a call from a queue, and the queue if that is then empty.
  private mutating func dequeue(
    at index: Int, _ take: (inout Queue<WaitingCall>) -> WaitingCall?
  ) -> WaitingCall? {
    let call = take(&queues[index].calls)
    queuedCount -= 1
    if queues[index].calls.isEmpty { queues.remove(at: index) }
    return call
  }
}
