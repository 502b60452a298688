import Foundation
import ReactiveNetworkLock

/// Stops calls to a server that fails, so that callers fail at once and the server can recover.
///
/// ```swift
/// let breaker = CircuitBreaker(opensAt: .failureRatio(0.5, minimumCalls: 20, window: .seconds(10)))
/// let response = provider.rx.request(.zen).circuitBreaker(breaker)
/// ```
///
/// A breaker is *closed* at first: all calls are made, and failed calls are counted. At the threshold it
/// *opens*: calls are refused with `TransferError.circuitOpen`. The first call after a wait is made as a probe, and
/// the breaker is *half open*. If its probes succeed, it closes; if more of them fail than `probeFailureRatio`
/// allows (by default one), it opens again for a longer wait. A call that ends after the state has changed does not count. A probe
/// ends with the head of its response, because the end of a stream may be hours away; with the operator, with the
/// first element, which for a `request` is the whole response, and is never a progress without one. If a probe
/// does not end within `probeTimeout`, the breaker opens, whatever the share. `probes` and `probeTimeout` correspond to resilience4j's
/// `permittedNumberOfCallsInHalfOpenState` and `maxWaitDurationInHalfOpenState`; its share of failures is
/// `failureRateThreshold` in both states. By hand, `isolate()` and `close()` change the state, as with Polly.
///
/// A status of 429 is not a failure, unless `isFailure` says so: the server works, and refuses a client that
/// sends too much. A retry after its `Retry-After` and a limit help against it, and a breaker would stop the
/// requests that the server still accepts. Envoy's outlier detection and Finagle's `ServerErrorsAsFailures`
/// count 5xx only; Microsoft's HTTP strategies for Polly also count 408 and 429, and resilience4j counts all
/// exceptions unless its user names some.
///
/// With `slowCallDuration`, calls that take longer count as failures, or by a threshold of their own, as with
/// resilience4j's `slowCallDurationThreshold` and `slowCallRateThreshold`. The time of a call ends where that of
/// a probe does, and includes its wait for a limit inside the breaker. A call that is cancelled after that
/// duration is slow, too: a time-out outside the breaker cancels, which otherwise counts neither here nor with
/// Polly.
///
/// Use one breaker per host. `circuitBreaker(_:)` of ReactiveNetwork and of transports use it. For other
/// work, call `begin()` first, and report the end to the call that it returns. A breaker is not a
/// `RequestInterceptor`, because interceptors are not called for requests that succeed.
///
/// A breaker may be used from any thread, and each call takes constant time. It starts no timers: an open
/// breaker turns half open with the first call after the wait.
///
/// The pattern is the circuit breaker of Michael T. Nygard, *Release It!* (2007).
public final class CircuitBreaker: Sendable {
  /// Whether calls are made.
  public enum State: Sendable, Hashable {
    /// All calls are made.
    case closed
    /// No call is made until the wait is over.
    case open
    /// A limited number of probes is made; other calls are refused.
    case halfOpen
    /// No call is made until `close()`.
    case isolated
  }

  /// The condition that opens a closed breaker.
  public enum Threshold: Sendable, Hashable {
    /// A ratio of failures, from 0 to 1, among the calls that ended within the last `window`.
    ///
    /// At least `minimumCalls` calls must have ended in the window, which slides in tenths. A ratio outside the
    /// range counts as its nearest end, and NaN as 0; a call that has failed is always necessary.
    case failureRatio(Double, minimumCalls: Int, window: Duration)
    /// A number of failures without a success between them; numbers below 1 count as 1.
    case consecutiveFailures(Int)
  }

  private struct ProtectedState {
    var machine: CircuitBreakerStateMachine
    var observers = StateObservers<State>()
  }

  let scheduler: any DelayScheduler
  private let slowCallDuration: TimeInterval
  private let isFailure: @Sendable (any Error) -> Bool
  private let protectedState: Lock<ProtectedState>

  /// Creates a breaker, which is closed.
  ///
  /// - Parameters:
  ///   - threshold: the condition that opens it.
  ///   - slowCallDuration: the time after which a call is slow, at least 0; `nil` if none is.
  ///   - slowCallThreshold: the condition on slow calls that opens it, whether or not they fail; `nil` to count
  ///     a slow call as a failure. A slow probe counts as failed in any case. It is ignored without a
  ///     `slowCallDuration`.
  ///   - probeWait: the time for which it stays open the first time.
  ///   - multiplier: the factor by which each wait is longer than the previous one, at least 1, until the
  ///     breaker has closed.
  ///   - longestProbeWait: the longest wait.
  ///   - probes: the number of probes that must end before it closes, and the maximum number of running
  ///     probes; at least 1.
  ///   - probeFailureRatio: the share of the probes that may fail, from 0 to 1; by default none. With 10 probes and
  ///     0.2, the third failure opens it. A value outside the range counts as its nearest end, and NaN as 0.
  ///   - probeTimeout: the time after which a breaker opens again at the next call if its probes have not ended,
  ///     counted from the first one that runs. Longer than the longest time to a head, or to a first element. A
  ///     negative one counts as 0, and years mean no limit, which is resilience4j's default.
  ///   - scheduler: the clock; `asDelayScheduler()` converts any Rx scheduler, and `ManualDelayScheduler` is
  ///     for tests. The duration of a call is the difference of two readings, so setting the clock of a
  ///     scheduler can make running calls slow, or hide that they are.
  ///   - isFailure: returns `true` if an error means that the server has failed; by default, if it
  ///     `NetworkError.isTransient` and is not a 429. Other errors, such as a 404, count as successes, but not that of
  ///     a request that could not be sent. Called without a lock, on the thread that reports the error.
  @preconcurrency public init(
    opensAt threshold: Threshold = .failureRatio(0.5, minimumCalls: 20, window: .seconds(10)),
    slowCallDuration: Duration? = nil, slowCallThreshold: Threshold? = nil,
    probeWait: Duration = .seconds(5), multiplier: Double = 2, longestProbeWait: Duration = .seconds(60),
    probes: Int = 1, probeFailureRatio: Double = 0, probeTimeout: Duration = .seconds(60),
    scheduler: any DelayScheduler = DispatchDelayScheduler(),
    isFailure: @escaping @Sendable (any Error) -> Bool = { error in
      guard let error = error as? NetworkError else { return false }
      return error.isTransient && error.response?.statusCode != 429
    }
  ) {
    self.scheduler = scheduler
    self.slowCallDuration = max(0, slowCallDuration?.inSeconds ?? .infinity)
    self.isFailure = isFailure
    let openDurations = GrowingDelay(
      first: probeWait.inSeconds, factor: max(1, multiplier), longest: longestProbeWait.inSeconds)
    protectedState = Lock(
      ProtectedState(
        machine: CircuitBreakerStateMachine(
          opensAt: threshold, slowCalls: slowCallThreshold, openDurations: openDurations,
          probes: max(1, probes), probeFailureRatio: min(1, max(0, probeFailureRatio)),
          probeTimeout: max(0, probeTimeout.inSeconds))))
  }

  /// The current state.
  public var state: State { protectedState.withLock { $0.machine.state } }

  /// The number of calls that have been refused since the breaker was created.
  public var refusalCount: Int { protectedState.withLock { $0.machine.refusalCount } }

  /// Refuses all calls until `close()`, for example during maintenance of the server.
  ///
  /// The calls are refused with a `TransferError.circuitOpen` whose `timeUntilProbe` is `nil`. Calls that are
  /// running continue, and do not count.
  public func isolate() { change { machine, _ in machine.isolate() } }

  /// Closes the breaker in any state, and forgets the calls that it has counted.
  ///
  /// Calls that are running do not count.
  public func close() { change { machine, _ in machine.close() } }

  /// Calls a handler with the current state, and again whenever it changes.
  ///
  /// The changes are delivered one at a time in their order, on the threads that cause them, without a lock.
  /// Dropping a slow call may deliver a state, so do not drop calls under a lock.
  ///
  /// - Parameter handler: receives the states.
  /// - Returns: a token that ends the calls. Cancelling it does not wait for a running call.
  public func observeState(_ handler: @escaping @Sendable (State) -> Void) -> any Cancellable {
    let key = protectedState.withLock { $0.observers.add(handler, $0.machine.state) }
    deliver()
    return CancellableToken { [weak self] in
      let spent = self?.protectedState.withLock { $0.observers.remove(key) }
      withExtendedLifetime(spent) {}
    }
  }

  /// Begins a call.
  ///
  /// - Returns: the call; report its end to it.
  /// - Throws: `TransferError.circuitOpen` if the call must not be made.
  public func begin() throws(TransferError) -> Call {
    let (generation, isProbe, reading) = try change { machine, reading throws(TransferError) in
      (try machine.begin(at: reading), machine.state == .halfOpen, reading)
    }
    return Call(of: self, generation, isProbe: isProbe, since: reading)
  }

  /// One call, from `begin()` to its end.
  ///
  /// Only the first report counts. A call that is released without a report counts as cancelled, which opens the
  /// breaker if the call is slow. Dropping a slow call may deliver a state, so do not drop calls under a lock.
  public final class Call: Sendable {
    private struct State {
      var isOver = false
      /// The seconds until the head of its response; `nil` until that has arrived.
      var wait: TimeInterval?
    }

    private let breaker: CircuitBreaker
    private let generation: Int
    private let isProbe: Bool
    /// The reading of the clock at the beginning.
    private let begin: TimeInterval
    private let state = Lock(State())

    fileprivate init(
      of breaker: CircuitBreaker, _ generation: Int, isProbe: Bool, since begin: TimeInterval
    ) {
      self.breaker = breaker
      self.generation = generation
      self.isProbe = isProbe
      self.begin = begin
    }

    deinit { cancel() }

    /// Reports that the call has succeeded.
    public func succeed() { end(.succeeded) }

    /// Reports that the call has ended with an error, which is a failure if `isFailure` returns `true`.
    ///
    /// - Parameter error: the error. The error of a cancelled request or task counts as `cancel()`, and so does a
    ///   refusal by a policy (`TransferError.isRefusal`), because nothing was sent. So does any other error of a
    ///   request that could not be sent, such as `.cannotReadFile`, unless `isFailure` returns `true`.
    public func fail(_ error: any Error) {
      // A failed probe reports its head and its end; `isFailure` is called once.
      if state.withLock({ $0.isOver }) { return }
      guard error.isRefusal || error.isCancellation else {
        // A call that could not be sent has not shown that the server works.
        return end(breaker.isFailure(error) ? .failed : error.couldNotBeSent ? .cancelled : .succeeded)
      }
      // A refused call has waited for a policy and not for the server.
      if error.isRefusal { state.withLock { $0.wait = 0 } }
      cancel()
    }

    /// Reports the head of a response, with the error that its status stands for; a probe ends with it.
    ///
    /// Only the time until the first report makes a call slow.
    package func respond(_ error: (any Error)?) {
      let wait = breaker.slowCallDuration < .infinity ? breaker.scheduler.uptime.inSeconds - begin : 0
      state.withLock { $0.wait = $0.wait ?? wait }
      guard isProbe else { return }
      if let error { fail(error) } else { succeed() }
    }

    /// Reports that the caller has cancelled the call, which counts neither as success nor as failure, unless
    /// the call is slow.
    public func cancel() { end(.cancelled) }

    private func end(_ outcome: CircuitBreakerStateMachine.Outcome) {
      let (isFirst, wait) = state.withLock { (!exchange(&$0.isOver, with: true), $0.wait) }
      guard isFirst else { return }
      breaker.change { machine, reading in
        machine.end(generation, outcome, isSlow: breaker.isSlow(wait ?? reading - begin), at: reading)
      }
    }
  }

  /// Whether a call of a duration is slow, apart from rounding.
  private func isSlow(_ duration: TimeInterval) -> Bool { duration > slowCallDuration + 1e-6 }

  private func change<Value, Failure: Error>(
    _ body: (inout CircuitBreakerStateMachine, TimeInterval) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let reading = scheduler.uptime.inSeconds
    // A refused call can change the state, too.
    let (result, hasChanged) = protectedState.withLock { protectedState in
      let before = protectedState.machine.state
      let result = Result { () throws(Failure) in try body(&protectedState.machine, reading) }
      let after = protectedState.machine.state
      if after != before { protectedState.observers.send(after) }
      return (result, after != before)
    }
    if hasChanged { deliver() }
    return try result.get()
  }

  private func deliver() {
    var next = protectedState.withLock { $0.observers.start() }
    while let (handler, state) = next {
      handler(state)
      next = protectedState.withLock { $0.observers.next() }
    }
  }
}
