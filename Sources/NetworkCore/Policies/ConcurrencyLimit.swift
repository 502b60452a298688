public import Foundation
import Locking

/// Limits how many calls run and how many wait, so that calls to a slow server do not pile up.
///
/// ```swift
/// let limit = ConcurrencyLimit(8, maxWaiting: 32)
/// let response = provider.rx.request(.zen).limitConcurrency(limit, priority: 1, longestWait: .seconds(2))
/// ```
///
/// If all places are taken, a call waits. Waiting calls start by priority, the highest first, and calls of
/// one priority start in their order. If the queue is full, the last waiting call of the lowest priority is
/// refused, or the new call if its priority is not higher. Calls that are refused or have waited too long
/// fail at once with `OverloadError`, so that a server works on calls whose callers still wait.
///
/// `limitConcurrency(_:priority:longestWait:)` of ReactiveNetwork calls it; without Rx, call `acquire`. A
/// limit may be used from any thread. Each method takes at most linear time in the number of waiting calls.
///
/// The pattern is the bulkhead of Michael T. Nygard, *Release It!* (2007).
public final class ConcurrencyLimit: Sendable {
  /// The maximum number of calls that run at a time.
  public let maxRunning: Int
  /// The maximum number of waiting calls.
  public let maxWaiting: Int
  private let scheduler: any DelayScheduler
  private let calls = Lock(LimitedCalls())

  /// Creates a limit.
  ///
  /// - Parameters:
  ///   - maxRunning: the maximum number of calls that run at a time; at least 1.
  ///   - maxWaiting: the maximum number of waiting calls. With 0, a call runs at once or is refused. Negative
  ///     numbers count as 0.
  ///   - scheduler: the clock of waiting calls; `asDelayScheduler()` makes one from any Rx scheduler.
  public init(
    _ maxRunning: Int, maxWaiting: Int = 100, scheduler: any DelayScheduler = DispatchDelayScheduler()
  ) {
    self.maxRunning = max(1, maxRunning)
    self.maxWaiting = max(0, maxWaiting)
    self.scheduler = scheduler
  }

  /// The number of running calls.
  public var runningCount: Int { calls.withLock { $0.runningCount } }

  /// The number of waiting calls.
  public var waitingCount: Int { calls.withLock { $0.waiting.count } }

  /// Waits for a turn.
  ///
  /// - Parameters:
  ///   - priority: calls with a higher number come first.
  ///   - longestWait: the longest wait, in seconds; `nil` for no limit.
  ///   - start: receives the turn or an error, once, unless the token is cancelled first. If a place is free,
  ///     it is called before this function returns; otherwise on the thread that releases a turn, or on a
  ///     thread of the scheduler. Called without a lock.
  /// - Returns: a token that removes the call from the queue. It does not release a turn.
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

  /// The right of a call to run, until it is released.
  public final class Turn: Sendable {
    private let limit: Lock<ConcurrencyLimit?>

    fileprivate init(of limit: ConcurrencyLimit) {
      self.limit = Lock(limit)
    }

    deinit { release() }

    /// Gives the place to the next call, which starts on this thread.
    ///
    /// Only the first release counts. Dropping a turn releases it.
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
    StartTrampoline.run { next.start(.success(Turn(of: self))) }
  }
}

/// A trampoline: runs the starts of calls on one thread one after the other, to bound the use of the stack.
///
/// A call that ends at once passes its turn during its own start. Without this type, a long queue of such
/// calls would nest one start in another.
private final class StartTrampoline: Sendable {
  private struct State {
    var starts: [@Sendable () -> Void] = []
    var isOver = false
  }

  @TaskLocal private static var current: StartTrampoline?
  private let state = Lock(State())

  static func run(_ start: @escaping @Sendable () -> Void) {
    // A task that was created by a start may outlive the loop.
    if let current, current.add(start) { return }
    let trampoline = StartTrampoline()
    $current.withValue(trampoline) {
      start()
      while let next = trampoline.next() { next() }
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
