public import Foundation
import Locking

/// Lets a limited number of calls run at a time, and a limited number wait, so that a slow server does not pile up calls.
///
/// ```swift
/// let limit = ConcurrencyLimit(8, maxWaiting: 32)
/// let answer = provider.rx.request(.zen).limitConcurrency(limit, priority: 1, longestWait: .seconds(2))
/// ```
///
/// A call that finds all places taken waits, those of a higher priority first, and of one priority in their order. If the queue is full, the
/// waiting call of the lowest priority that came last is refused, or the new one if its priority is not higher. Calls that are refused or
/// have waited too long fail at once with `OverloadError`, so that a server works on calls whose callers still wait.
///
/// `limitConcurrency(_:priority:longestWait:)` of ReactiveNetwork calls it; without Rx, call `acquire`. A limit may be used from any
/// thread. A call takes time in proportion to the number of waiting ones at most.
///
/// The pattern is the bulkhead of Michael T. Nygard, *Release It!* (2007).
public final class ConcurrencyLimit: Sendable {
  /// How many calls run at a time at most.
  public let maxRunning: Int
  /// How many calls wait at most.
  public let maxWaiting: Int
  private let scheduler: any DelayScheduler
  private let calls = Lock(LimitedCalls())

  /// Makes a limit.
  ///
  /// - Parameters:
  ///   - maxRunning: how many calls run at a time at most; at least 1.
  ///   - maxWaiting: how many calls wait at most; with 0, a call runs at once or is refused. Negative numbers count as 0.
  ///   - scheduler: where the time of waiting calls passes; `asDelayScheduler()` makes one of any Rx scheduler.
  public init(
    _ maxRunning: Int, maxWaiting: Int = 100, scheduler: any DelayScheduler = DispatchDelayScheduler()
  ) {
    self.maxRunning = max(1, maxRunning)
    self.maxWaiting = max(0, maxWaiting)
    self.scheduler = scheduler
  }

  /// How many calls run now.
  public var runningCount: Int { calls.withLock { $0.runningCount } }

  /// How many calls wait now.
  public var waitingCount: Int { calls.withLock { $0.waiting.count } }

  /// Waits for a turn.
  ///
  /// - Parameters:
  ///   - priority: calls with a higher number come first.
  ///   - longestWait: how long to wait, in seconds; `nil` for any time.
  ///   - start: gets the turn, or why there is none, once unless the token is cancelled before; before the function returns if a place
  ///     is free, otherwise on the thread that returns a turn or on one of the scheduler. Called without a lock.
  /// - Returns: a token that takes the call out of the queue. It does not return a turn.
  public func acquire(
    priority: Int = 0, longestWait: TimeInterval? = nil,
    _ start: @escaping @Sendable (Result<Turn, OverloadError>) -> Void
  ) -> any Cancellable {
    switch calls.withLock({ $0.admit(start, priority, maxRunning: maxRunning, maxWaiting: maxWaiting) }) {
    case .runs: start(.success(Turn(of: self)))
    case .refused: start(.failure(.queueFull(maxWaiting: maxWaiting)))
    case .waits(let key, let evicted):
      if let longestWait, longestWait < .infinity { limitWait(of: key, to: longestWait) }
      evicted?.timer?.cancel()
      evicted?.start(.failure(.queueFull(maxWaiting: maxWaiting)))
      return CancellableToken { [weak self] in
        let call = self?.calls.withLock { $0.remove(key) }
        call?.timer?.cancel()
      }
    }
    return CancellableToken {}
  }

  /// The right to run, until it is released.
  public final class Turn: Sendable {
    private let limit: Lock<ConcurrencyLimit?>

    fileprivate init(of limit: ConcurrencyLimit) {
      self.limit = Lock(limit)
    }

    deinit { release() }

    /// Gives the place to the next call, which starts on this thread.
    ///
    /// Only the first call counts. A turn that is dropped is released.
    public func release() { limit.withLock { $0.take() }?.passTurn() }
  }

  private func limitWait(of key: Int, to seconds: TimeInterval) {
    let timer = scheduler.schedule(after: seconds) { [weak self] in
      let call = self?.calls.withLock { $0.remove(key) }
      call?.start(.failure(.waitedTooLong(seconds)))
    }
    if !calls.withLock({ $0.set(timer, of: key) }) { timer.cancel() }
  }

  private func passTurn() {
    guard let next = calls.withLock({ $0.passTurn() }) else { return }
    next.timer?.cancel()
    PassedTurns.run { next.start(.success(Turn(of: self))) }
  }
}

/// Runs the starts of one thread one after the other: a call that ends at once passes its turn within its start, and a long queue of
/// such calls would need as much stack.
private final class PassedTurns: Sendable {
  private struct State {
    var starts: [@Sendable () -> Void] = []
    var isOver = false
  }

  @TaskLocal private static var current: PassedTurns?
  private let state = Lock(State())

  static func run(_ start: @escaping @Sendable () -> Void) {
    // A task that a start has made may outlive the loop.
    if let current, current.add(start) { return }
    let turns = PassedTurns()
    $current.withValue(turns) {
      start()
      while let next = turns.next() { next() }
    }
  }

  private func add(_ start: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      if !state.isOver { state.starts.append(start) }
      return !state.isOver
    }
  }

  private func next() -> (@Sendable () -> Void)? {
    state.withLock { state in
      state.isOver = state.starts.isEmpty
      return state.isOver ? nil : state.starts.removeFirst()
    }
  }
}
