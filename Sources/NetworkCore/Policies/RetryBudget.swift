import ReactiveNetworkLock

/// Limits the retries of many requests to a share of those requests, so that retries do not overload a server
/// that fails.
///
/// ```swift
/// let budget = RetryBudget(ratio: 0.2)
/// let provider = NetworkProvider<GitHub>(interceptors: [RetryPolicy(budget: budget)])
/// ```
///
/// Each request deposits, and each retry withdraws. With a ratio of 0.2, a server that fails gets at most a
/// fifth more requests, instead of several times as many. Use one budget for all requests to a host, or for a
/// provider. When it is empty, a failed request ends at once with its error.
///
/// When a retry is made, it and the retries of the window before it are at most `ratio` × the requests of that
/// window, or `minimumPerSecond` × window if that is more. The window slides in tenths: it is up to a tenth
/// shorter than `window`. A retry whose wait is cancelled stays withdrawn. A budget may be used from any thread;
/// each call takes constant time.
///
/// The idea is that of Finagle's `RetryBudget`, whose default share is also a fifth. Finagle adds its minimum,
/// 10 retries a second, to the share. That suits a server with thousands of requests a second; a client with
/// fewer than 50 would get more retries from the minimum than from the share. Here the minimum replaces a
/// smaller share, as `min_retry_concurrency` does in Envoy's retry budget, and by default it is the share of
/// one request a second.
public final class RetryBudget: Sendable {
  private struct State {
    var time = MonotonicTime()
    var counts: SlidingWindowCounter
  }

  /// The number of retries that each request allows.
  public let ratio: Double
  /// The number of retries per second that are allowed if the share of the requests is smaller.
  public let minimumPerSecond: Double
  /// The time for which requests and retries count.
  public let window: Duration
  private let scheduler: any DelayScheduler
  private let state: Lock<State>

  /// Creates a budget.
  ///
  /// - Parameters:
  ///   - ratio: the number of retries that each request allows, from 0 to 1,000: 0.2 allows one retry for
  ///     five requests. A value outside the range counts as its nearest end.
  ///   - minimumPerSecond: the number of retries per second that are allowed if the share of the requests is
  ///     smaller, for programs that send few, from 0 to 1,000,000; by default `ratio`, the share of one request
  ///     a second. The retries of a whole window are available from the beginning and may be made at once.
  ///   - window: the time for which requests and retries count, from a millisecond to a day. Only whole retries
  ///     count: if `ratio` × requests of a window and `minimumPerSecond` × `window` are both below 1, there are
  ///     none.
  ///   - scheduler: the clock; `asDelayScheduler()` converts any Rx scheduler, and `ManualDelayScheduler` is
  ///     for tests.
  public init(
    ratio: Double = 0.2, minimumPerSecond: Double? = nil, window: Duration = .seconds(10),
    scheduler: any DelayScheduler = DispatchDelayScheduler()
  ) {
    // NaN counts as 0.
    self.ratio = ratio > 0 ? min(ratio, 1_000) : 0
    let minimum = minimumPerSecond ?? self.ratio
    self.minimumPerSecond = minimum > 0 ? min(minimum, 1_000_000) : 0
    self.window = SlidingWindowCounter.length(window)
    self.scheduler = scheduler
    state = Lock(State(counts: SlidingWindowCounter(window: window)))
  }

  /// The number of retries that may be made now.
  public var availableRetries: Int {
    let reading = scheduler.uptime.inSeconds
    return state.withLock { state in
      let now = state.time.time(of: reading)
      state.counts.slide(to: now)
      return available(state.counts)
    }
  }

  /// Counts a request: its first attempt, not its retries.
  ///
  /// `RetryPolicy` and `retry(backoff:)` call this function for the requests that they handle.
  public func deposit() {
    let reading = scheduler.uptime.inSeconds
    state.withLock { state in
      let now = state.time.time(of: reading)
      state.counts.add(all: 1, at: now)
    }
  }

  /// Counts a retry if the budget allows it.
  ///
  /// - Returns: `true` if the retry may be made; `false` if the budget is empty, which changes nothing.
  public func withdraw() -> Bool {
    let reading = scheduler.uptime.inSeconds
    return state.withLock { state in
      let now = state.time.time(of: reading)
      state.counts.slide(to: now)
      guard available(state.counts) > 0 else { return false }
      state.counts.add(marked: 1, at: now)
      return true
    }
  }

  private func available(_ counts: SlidingWindowCounter) -> Int {
    // The small addend makes 100 × 0.29 count as 29.
    let allowed = max(ratio * Double(counts.all), minimumPerSecond * window.inSeconds) + 1e-6
    return max(0, Int(allowed) - counts.marked)
  }
}
