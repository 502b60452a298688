import Foundation
import ReactiveNetworkLock

/// Limits the numbers of running and waiting calls, so that calls to a slow server do not pile up.
///
/// ```swift
/// let limit = ConcurrencyLimit(8, maxWaiting: 32)
/// let response = provider.rx.request(.zen).limitConcurrency(limit, priority: 1, longestWait: .seconds(2))
/// ```
///
/// If all places are taken, a call waits. Waiting calls start by priority, the highest first, and calls of
/// one priority start in their order. So that a low priority does not wait forever, each eighth start is that of
/// the call that has waited longest. If the queue is full, the last waiting call of the lowest priority is
/// refused, or the new call if its priority is not higher. For the same reason, an eighth of the queue is kept for
/// calls below the highest priority: as long as they have less, a call of the highest priority is refused, even
/// for a new one of a lower priority. Calls that are refused or have waited too long fail with
/// `TransferError.queueFull` or `.waitedTooLong`, so that the server spends its time on calls whose callers
/// still wait.
///
/// `limitConcurrency(_:priority:longestWait:)` of ReactiveNetwork uses it, and so does
/// `limitConcurrency(_:longestWait:priority:)` of transports. For other work, call `acquire`. With
/// `adapting:`, the number of running calls follows the latency of the server. A limit may be used from any
/// thread. Each call takes time in proportion to the number of different priorities that wait.
///
/// The pattern is the bulkhead of Michael T. Nygard, *Release It!* (2007). That of resilience4j refuses a call
/// at once by default, and the limiter of Polly lets it wait without a limit; here it waits for up to
/// `defaultLongestWait`. Under overload, the oldest waiting calls are those whose callers are about to give up,
/// so Facebook's servers start the newest ones first (Ben Maurer, *Fail at Scale*, 2015); `newestFirstAbove` does.
public final class ConcurrencyLimit: Sendable {
  /// The longest wait for a place unless a call names another one: 30 s.
  public static let defaultLongestWait: Duration = .seconds(30)

  /// The maximum number of waiting calls.
  public let maxWaiting: Int
  let scheduler: any DelayScheduler
  /// `nil` if the limit does not adapt, and so needs no time.
  private let clock: (any DelayScheduler)?
  private let state: Lock<ConcurrencyLimitState>

  /// Creates a limit.
  ///
  /// - Parameters:
  ///   - maxRunning: the maximum number of running calls, at least 1; with `adaptation`, the initial one.
  ///   - adaptation: the rule by which this number follows latency; `nil` for a fixed number.
  ///   - maxWaiting: the maximum number of waiting calls; with 0, a call runs at once or is refused. Negative
  ///     numbers count as 0.
  ///   - newestFirstAbove: the number of waiting calls above which the newest call of a priority starts first, and
  ///     a full queue refuses the oldest instead of the last call, even for a new call of the same priority;
  ///     by default, the oldest always starts first. With 0, the queue is always a stack.
  ///   - scheduler: the clock for waiting calls, and the scheduler on which they start; `asDelayScheduler()`
  ///     converts any Rx scheduler.
  public init(
    _ maxRunning: Int, adapting adaptation: LimitAdaptation? = nil, maxWaiting: Int = 100,
    newestFirstAbove: Int = .max, scheduler: any DelayScheduler = DispatchDelayScheduler()
  ) {
    self.maxWaiting = max(0, maxWaiting)
    self.scheduler = scheduler
    clock = adaptation.map { _ in scheduler }
    state = Lock(
      ConcurrencyLimitState(AdaptiveLimit(maxRunning, adaptation), newestFirstAbove: max(0, newestFirstAbove))
    )
  }

  /// The maximum number of running calls, at present.
  ///
  /// If an adaptive limit has just become smaller, more calls may run until they end.
  public var maxRunning: Int { state.withLock { $0.adaptiveLimit.limit } }

  /// Whether the number of places follows latency.
  package var isAdaptive: Bool { clock != nil }

  /// The number of running calls, and of those that are about to start on the scheduler.
  public var runningCount: Int { state.withLock { $0.runningCount } }

  /// The number of calls that wait for a place.
  public var waitingCount: Int { state.withLock { $0.waitingCount } }

  /// Waits for a permit.
  ///
  /// - Parameters:
  ///   - priority: the priority; calls with a higher number start first.
  ///   - longestWait: the longest wait, by default `defaultLongestWait`; `nil` for no limit. A negative one counts
  ///     as 0.
  ///   - start: receives the permit or an error, once, unless the token is cancelled first. If a place is
  ///     free or the call is refused, it is called before this function returns; later, on the thread whose
  ///     call evicts this one from the queue, or on the scheduler. Called without a lock.
  /// - Returns: a token that removes the call from the queue. It does not release a permit.
  public func acquire(
    priority: Int = 0, longestWait: Duration? = ConcurrencyLimit.defaultLongestWait,
    _ start: @escaping @Sendable (Result<Permit, TransferError>) -> Void
  ) -> any Cancellable {
    let now = clock?.uptime.inSeconds ?? 0
    switch state.withLock({ $0.admit(start, priority, maxWaiting: maxWaiting) }) {
    case .runs: start(.success(Permit(of: self, since: now)))
    case .refused: start(.failure(.queueFull(maxWaiting: maxWaiting)))
    case .waits(let key, let evicted):
      if let longestWait { limitWait(of: key, to: max(.zero, longestWait)) }
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
      /// The caller has cancelled the call before there was a response, or it has failed without one, for a reason that
      /// need not be the server's. If that took longer than the limit allows, it is a sign of overload.
      case cancelled
      /// A breaker or another limit has refused the call, however late, or it could not be sent.
      case refused
    }

    private let limit: ConcurrencyLimit
    /// The reading of the clock at the start of the call.
    private let begin: TimeInterval
    /// Whether the permit was released, and the reading of the clock when the response began.
    private let state = Lock((isReleased: false, responded: TimeInterval?.none))

    fileprivate init(of limit: ConcurrencyLimit, since begin: TimeInterval) {
      self.limit = limit
      self.begin = begin
    }

    deinit { release(.cancelled) }

    /// Notes that the response has begun, for limits that adapt: the call ends later, but this is its latency.
    ///
    /// The length of a body says nothing about the load of a server. Only the first call counts.
    public func noteResponse() {
      guard let now = limit.clock?.uptime.inSeconds else { return }
      state.withLock { $0.responded = $0.responded ?? now }
    }

    /// Passes the place to the next waiting call, which starts on the scheduler of the limit.
    ///
    /// Only the first call counts. A permit that is dropped is released as cancelled.
    ///
    /// - Parameter ending: how the call has ended; ignored unless the limit adapts.
    public func release(_ ending: Ending = .responded) {
      let (isFirst, responded) = state.withLock { (!exchange(&$0.isReleased, with: true), $0.responded) }
      if isFirst { limit.end(ending, since: begin, responded: responded) }
    }
  }

  /// Ends a call, and lets waiting calls start.
  ///
  /// They do not start here, because the code that they run could wait for the code that releases the permit,
  /// and because a long queue of calls that end at once would nest one start in another.
  private func end(_ ending: Permit.Ending, since begin: TimeInterval, responded: TimeInterval?) {
    let now = clock?.uptime.inSeconds ?? 0
    let count = state.withLock { $0.end(ending, since: begin, responded: responded ?? now, at: now) }
    for _ in 0..<count { _ = scheduler.schedule(after: .zero) { self.startNext() } }
  }

  private func startNext() {
    guard let call = state.withLock({ $0.startNext() }) else { return }
    call.timer?.cancel()
    call.start(.success(Permit(of: self, since: clock?.uptime.inSeconds ?? 0)))
  }

  private func limitWait(of key: ConcurrencyLimitState.Key, to longestWait: Duration) {
    let timer = scheduler.schedule(after: longestWait) { [weak self] in
      let call = self?.state.withLock { $0.remove(key) }
      call?.start(.failure(.waitedTooLong(longestWait)))
    }
    if !state.withLock({ $0.set(timer, of: key) }) { timer.cancel() }
  }
}
