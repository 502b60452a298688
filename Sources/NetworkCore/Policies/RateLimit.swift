import ReactiveNetworkLock

/// Limits the number of calls that start in any span of time, for servers that refuse more.
///
/// ```swift
/// let limit = RateLimit(100, per: .seconds(60))
/// let response = provider.rx.request(.zen).limitRate(limit, longestWait: .seconds(5))
/// ```
///
/// Calls beyond the number wait and start in their order. A call that finds the queue full, or has waited too
/// long, fails with `TransferError.queueFull` or `.waitedTooLong`. `limitRate(_:longestWait:)` of ReactiveNetwork
/// and of transports use it, for any number of subscriptions and requests together; for other work, call
/// `acquire`. A limit may be used from any thread.
///
/// The span slides, as that of Polly's limiter with many segments, so that no span has more calls. The
/// `RateLimiter` of resilience4j counts in fixed cycles, and lets twice the number start around the end of one;
/// Envoy's token bucket also lets a burst start before its refill.
public final class RateLimit: Sendable {
  private struct WaitingCall {
    /// Keeps the limit until the call has ended its wait; the timers do not.
    let limit: RateLimit
    let start: @Sendable (Result<Void, TransferError>) -> Void
    var timer: (any Cancellable)?
  }

  private struct State {
    var freeCount: Int
    var waiting = Queue<WaitingCall>()
    /// The numbers of the spans that have not ended, and their timers.
    var spans: [Int: (any Cancellable)?] = [:]
    var spanCount = 0
  }

  /// The maximum number of waiting calls.
  public let maxWaiting: Int
  let scheduler: any DelayScheduler
  private let span: Duration
  private let state: Lock<State>

  /// Creates a limit.
  ///
  /// - Parameters:
  ///   - count: the number of calls that may start in a span, at least 1.
  ///   - span: the length of the span. A negative one counts as 0, and then nothing waits.
  ///   - maxWaiting: the maximum number of waiting calls; negative numbers count as 0.
  ///   - scheduler: measures the spans and the waits by its timers, so that setting the system's clock has no
  ///     effect; waiting calls start on it. `asDelayScheduler()` converts any Rx scheduler.
  public init(
    _ count: Int, per span: Duration, maxWaiting: Int = 100,
    scheduler: any DelayScheduler = DispatchDelayScheduler()
  ) {
    self.span = max(.zero, span)
    self.maxWaiting = max(0, maxWaiting)
    self.scheduler = scheduler
    state = Lock(State(freeCount: max(1, count)))
  }

  deinit {
    let timers = state.withLock { $0.spans.values.compactMap { $0 } }
    for timer in timers { timer.cancel() }
  }

  /// The number of calls that could start now.
  public var freeCount: Int { state.withLock { $0.freeCount } }

  /// The number of calls that wait.
  public var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Waits until a call may start.
  ///
  /// - Parameters:
  ///   - longestWait: the longest wait, by default `ConcurrencyLimit.defaultLongestWait`; `nil` for no limit. A
  ///     negative one counts as 0.
  ///   - start: is called once, unless the token is cancelled first: before this function returns if the call may
  ///     start at once or is refused, and later on the scheduler. Called without a lock.
  /// - Returns: a token that removes the call from the queue.
  public func acquire(
    longestWait: Duration? = ConcurrencyLimit.defaultLongestWait,
    _ start: @escaping @Sendable (Result<Void, TransferError>) -> Void
  ) -> any Cancellable {
    guard span > .zero else {
      start(.success(()))
      return CancellableToken {}
    }
    enum Admission {
      case runs, refused
      case waits(Int)
    }
    let admission = state.withLock { state -> Admission in
      if state.freeCount > 0 {
        state.freeCount -= 1
        return .runs
      }
      guard state.waiting.count < maxWaiting else { return .refused }
      return .waits(state.waiting.append(WaitingCall(limit: self, start: start)))
    }
    switch admission {
    case .runs: run(start)
    case .refused: start(.failure(.queueFull(maxWaiting: maxWaiting)))
    case .waits(let number):
      if let longestWait { limitWait(of: number, to: max(.zero, longestWait)) }
      return CancellableToken { [weak self] in
        let call = self?.state.withLock { $0.waiting.remove(number) }
        call?.timer?.cancel()
      }
    }
    return CancellableToken {}
  }

  private func run(_ start: (Result<Void, TransferError>) -> Void) {
    let number = state.withLock { state in
      state.spanCount += 1
      state.spans[state.spanCount] = .some(nil)
      return state.spanCount
    }
    // The span begins before the call, which may take time.
    let timer = scheduler.schedule(after: span) { [weak self] in self?.endSpan(number) }
    state.withLock { if $0.spans[number] != nil { $0.spans[number] = timer } }
    start(.success(()))
  }

  private func endSpan(_ number: Int) {
    let (timer, next) = state.withLock { state in
      let next = state.waiting.popFirst()
      if next == nil { state.freeCount += 1 }
      return (state.spans.removeValue(forKey: number), next)
    }
    withExtendedLifetime(timer) {}
    next?.timer?.cancel()
    if let next { run(next.start) }
  }

  private func limitWait(of number: Int, to longestWait: Duration) {
    let timer = scheduler.schedule(after: longestWait) { [weak self] in
      let call = self?.state.withLock { $0.waiting.remove(number) }
      call?.start(.failure(.waitedTooLong(longestWait)))
    }
    let isWaiting = state.withLock { state in
      state.waiting[number]?.timer = timer
      return state.waiting[number] != nil
    }
    if !isWaiting { timer.cancel() }
  }
}
