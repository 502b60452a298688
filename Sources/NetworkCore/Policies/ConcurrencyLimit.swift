public import Foundation
import ReactiveNetworkLock

/// Limits the numbers of running and waiting calls, so that calls to a slow server do not pile up.
///
/// ```swift
/// let limit = ConcurrencyLimit(8, maxWaiting: 32)
/// let response = provider.rx.request(.zen).limitConcurrency(limit, priority: 1, longestWait: .seconds(2))
/// ```
///
/// If all places are taken, a call waits. Waiting calls start by priority, the highest first, and calls of
/// one priority start in their order. If the queue is full, the last waiting call of the lowest priority is
/// refused, or the new call if its priority is not higher. Calls that are refused or have waited too long
/// fail with `OverloadError`, so that the server spends its time on calls whose callers still wait.
///
/// `limitConcurrency(_:priority:longestWait:)` of ReactiveNetwork uses it, and so does
/// `limitConcurrency(_:longestWait:priority:)` of transports. For other work, call `acquire`. With
/// `adapting:`, the number of running calls follows the latency of the server. A limit may be used from any
/// thread. Each call takes time in proportion to the number of waiting calls at most.
///
/// The pattern is the bulkhead of Michael T. Nygard, *Release It!* (2007).
public final class ConcurrencyLimit: Sendable {
  /// The maximum number of waiting calls.
  public let maxWaiting: Int
  let scheduler: any DelayScheduler
  /// `nil` if the limit does not adapt, and so needs no time.
  private let clock: SchedulerClock?
  private let state: Lock<ConcurrencyLimitState>

  /// Creates a limit.
  ///
  /// - Parameters:
  ///   - maxRunning: the maximum number of running calls, at least 1; with `adaptation`, the initial one.
  ///   - adaptation: the rule by which this number follows latency; `nil` for a fixed number.
  ///   - maxWaiting: the maximum number of waiting calls; with 0, a call runs at once or is refused. Negative
  ///     numbers count as 0.
  ///   - scheduler: the clock for waiting calls; `asDelayScheduler()` converts any Rx scheduler.
  public init(
    _ maxRunning: Int, adapting adaptation: LimitAdaptation? = nil, maxWaiting: Int = 100,
    scheduler: any DelayScheduler = DispatchDelayScheduler()
  ) {
    self.maxWaiting = max(0, maxWaiting)
    self.scheduler = scheduler
    clock = adaptation.map { _ in SchedulerClock(scheduler) }
    state = Lock(ConcurrencyLimitState(AdaptiveLimit(maxRunning, adaptation)))
  }

  /// The maximum number of running calls, at present.
  ///
  /// If an adaptive limit has just become smaller, more calls may run until they end.
  public var maxRunning: Int { state.withLock { $0.adaptiveLimit.limit } }

  /// Whether the number of places follows latency.
  package var isAdaptive: Bool { clock != nil }

  /// The number of running calls.
  public var runningCount: Int { state.withLock { $0.runningCount } }

  /// The number of waiting calls.
  public var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Waits for a permit.
  ///
  /// - Parameters:
  ///   - priority: the priority; calls with a higher number start first.
  ///   - longestWait: the longest wait, in seconds; `nil` for no limit.
  ///   - start: receives the permit or an error, once, unless the token is cancelled first. If a place is
  ///     free or the call is refused, it is called before this function returns; later, on the thread that
  ///     releases a permit, on the thread whose call evicts this one from the queue, or, after
  ///     `longestWait`, on a thread of the scheduler. Called without a lock.
  /// - Returns: a token that removes the call from the queue. It does not release a permit.
  public func acquire(
    priority: Int = 0, longestWait: TimeInterval? = nil,
    _ start: @escaping @Sendable (Result<Permit, OverloadError>) -> Void
  ) -> any Cancellable {
    let now = clock?.reading ?? 0
    switch state.withLock({ $0.admit(start, priority, maxWaiting: maxWaiting) }) {
    case .runs: start(.success(Permit(ConcurrencyPlace(of: self, since: now, isStarting: false))))
    case .refused: start(.failure(.queueFull(maxWaiting: maxWaiting)))
    case .waits(let key, let evicted):
      if let longestWait, longestWait < .infinity { limitWait(of: key, to: longestWait) }
      evicted?.timer?.cancel()
      evicted?.start(.failure(.queueFull(maxWaiting: maxWaiting)))
      return CancellableToken { [weak self] in
        let call = self?.state.withLock { $0.remove(key) }
        call?.timer?.cancel()
      }
    }
    return CancellableToken {}
  }

  /// The right of a call to run, until it is released.
  public final class Permit: Sendable {
    /// The end of a call, for limits that adapt.
    public enum Ending: Sendable, Hashable {
      /// The server has responded; the response may be an error that says nothing about the server's load.
      case responded
      /// There was a sign that the server is overloaded: no response in time, or a status such as 503.
      case overloaded
      /// The caller has cancelled the call before there was a response.
      case cancelled
    }

    private let place: ConcurrencyPlace

    fileprivate init(_ place: ConcurrencyPlace) { self.place = place }

    deinit { release(.cancelled) }

    /// Passes the place to the next waiting call, which starts on this thread: now or, if this call releases
    /// its permit while it starts, when its `start` has returned.
    ///
    /// Only the first call counts. A permit that is dropped is released as cancelled.
    ///
    /// - Parameter ending: how the call has ended; ignored unless the limit adapts.
    public func release(_ ending: Ending = .responded) {
      guard let release = place.release(ending) else { return }
      release.limit.startCalls(after: release)
    }
  }

  private func limitWait(of key: Int, to seconds: TimeInterval) {
    let timer = scheduler.schedule(after: seconds) { [weak self] in
      let call = self?.state.withLock { $0.remove(key) }
      call?.start(.failure(.waitedTooLong(seconds)))
    }
    if !state.withLock({ $0.set(timer, of: key) }) { timer.cancel() }
  }

  /// Starts the calls that take a released place, and those that take the places which these release while they
  /// start.
  ///
  /// A loop, because a long queue of calls that end at once would otherwise nest one start in another.
  private func startCalls(after release: ConcurrencyPlace.Release) {
    var releases = [release]
    while let release = releases.popLast() {
      let now = clock?.reading ?? 0
      for next in state.withLock({ $0.end(release.ending, since: release.begin, at: now) }) {
        next.timer?.cancel()
        let place = ConcurrencyPlace(of: self, since: now, isStarting: true)
        next.start(.success(Permit(place)))
        if let release = place.started() { releases.append(release) }
      }
    }
  }
}

/// The place of a running call.
private final class ConcurrencyPlace: Sendable {
  /// A place that has become free.
  struct Release {
    let limit: ConcurrencyLimit
    let ending: ConcurrencyLimit.Permit.Ending
    let begin: TimeInterval
  }

  private enum State {
    /// `start` of the call runs on this thread.
    case starting(pthread_t)
    case running
    /// The thread that runs `start` has released the place.
    case releasedAtStart(ConcurrencyLimit.Permit.Ending)
    case released
  }

  private let limit: ConcurrencyLimit
  private let begin: TimeInterval
  private let state: Lock<State>

  /// Creates the place of a call that starts on this thread.
  ///
  /// - Parameters:
  ///   - limit: the limit that the place belongs to.
  ///   - begin: the reading of the clock.
  ///   - isStarting: whether the creator calls `started()` after the start of the call.
  init(of limit: ConcurrencyLimit, since begin: TimeInterval, isStarting: Bool) {
    self.limit = limit
    self.begin = begin
    state = Lock(isStarting ? .starting(pthread_self()) : .running)
  }

  /// Releases the place; returns `nil` if the caller need not start the next call.
  func release(_ ending: ConcurrencyLimit.Permit.Ending) -> Release? {
    state.withLock { state in
      switch state {
      case .starting(let thread) where thread == pthread_self():
        state = .releasedAtStart(ending)
        return nil
      case .starting, .running:
        state = .released
        return Release(limit: limit, ending: ending, begin: begin)
      case .releasedAtStart, .released: return nil
      }
    }
  }

  /// Ends the start of the call; returns the release that happened meanwhile.
  func started() -> Release? {
    state.withLock { state in
      switch state {
      case .starting: state = .running
      case .releasedAtStart(let ending):
        state = .released
        return Release(limit: limit, ending: ending, begin: begin)
      case .running, .released: break
      }
      return nil
    }
  }
}
