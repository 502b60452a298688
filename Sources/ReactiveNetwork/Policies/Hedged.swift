public import Dispatch
import Foundation
import ReactiveNetworkLock
public import NetworkCore
public import RxLite

extension PrimitiveSequence where Trait == SingleTrait {
  /// Subscribes a second time if the element is late, and uses the element that arrives first.
  ///
  /// ```swift
  /// let hedge = HedgePolicy(after: .percentile(95, initially: 0.2), budget: RetryBudget(ratio: 0.1))
  /// let answer = provider.rx.request(.zen).hedged(hedge)
  /// ```
  ///
  /// The first element wins. The other subscription is disposed before the element is delivered, which
  /// cancels its request. An error, or a `Response` with a status of
  /// `RetryPolicy.defaultRetryableHTTPStatusCodes`, counts only if the other copy is not running. So the
  /// single fails at once if its first copy fails before the second one is sent (use `retry` for that), and
  /// otherwise with the last error.
  ///
  /// There is no second copy if the budget is empty, or if the first copy has sent a request whose method is
  /// not among the policy's `hedgeableHTTPMethods`. The delay does not run while the first copy waits for a
  /// place in `limitConcurrency(_:priority:longestWait:)`. If no request of `provider.rx` is known, because the
  /// first copy waits in another queue, or because it is shared or in a subscription that a closure makes, the
  /// policy's `hedgesUnknownRequests` decides. A second copy that would send a request with another method, or
  /// start a shared sequence (`share`, `cached`), ends before it does.
  ///
  /// - Parameter policy: the policy, which other singles may share.
  /// - Returns: the single. The second copy is subscribed on the policy's scheduler.
  public func hedged(_ policy: HedgePolicy) -> Single<Element> {
    let source = asObservable()
    return Single.creating { context, single in
      let call = HedgedSubscription(source, policy, context, single)
      call.begin()
      return Disposables.create { call.dispose() }
    }
  }

  /// Subscribes a second time if there is no element after a fixed time, and uses the element that arrives
  /// first.
  ///
  /// Otherwise it behaves like `hedged(_:)`.
  ///
  /// - Parameters:
  ///   - delay: the time from the first subscription to the second one.
  ///   - budget: bounds the second copies of several pipelines together.
  ///   - hedgeableHTTPMethods: the methods of the requests that may be sent twice; the idempotent ones by
  ///     default.
  ///   - hedgesUnknownRequests: whether to subscribe a second time if no request is known.
  ///   - scheduler: the clock; use a virtual one for tests.
  /// - Returns: the single.
  public func hedged(
    after delay: RxTimeInterval, budget: RetryBudget,
    hedgeableHTTPMethods: Set<HTTPMethod> = RetryPolicy.defaultRetryableHTTPMethods,
    hedgesUnknownRequests: Bool = false,
    scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .default)
  ) -> Single<Element> {
    hedged(
      HedgePolicy(
        after: .fixed(delay.inSeconds), budget: budget, hedgeableHTTPMethods: hedgeableHTTPMethods,
        hedgesUnknownRequests: hedgesUnknownRequests, scheduler: scheduler.asDelayScheduler()))
  }
}

/// One subscription to a hedged single.
private final class HedgedSubscription<Element>: Sendable {
  private struct State {
    var race = HedgeRace()
    var timer: (any Cancellable)?
    /// The reading of the clock when the first copy began, without the time that it has waited for places.
    var began: TimeInterval
    /// The number of places for which the first copy waits, and the reading when it was last 0.
    var (waits, waitingSince) = (0, 0.0)
    /// The number of pauses so far, so that a timer from before a pause is not stored.
    var pauseCount = 0
    /// Whether the delay is over.
    var isDue = false
    /// The event of the first copy, which counts if the second one is withdrawn.
    var firstEvent: SingleEvent<Element>?

    init(began: TimeInterval) { self.began = began }

    /// The reading when the first copy began, without all time that it has waited for places until now.
    func began(at now: TimeInterval) -> TimeInterval {
      began + (waits > 0 ? max(0, now - waitingSince) : 0)
    }

    /// Whether the delay runs or is to run, and has no timer.
    var needsTimer: Bool { race.isUndecided && !isDue && waits == 0 && timer == nil }
  }

  private let source: Observable<Element>
  private let policy: HedgePolicy
  private let context: SubscriptionContext?
  private let deliver: @Sendable (SingleEvent<Element>) -> Void
  private let sent = EffectRecord()
  private let requests = RelatedRequests()
  private let copies = [SingleAssignmentDisposable(), SingleAssignmentDisposable()]
  private let delay: TimeInterval
  private let state: Lock<State>

  init(
    _ source: Observable<Element>, _ policy: HedgePolicy, _ context: SubscriptionContext?,
    _ deliver: @escaping @Sendable (SingleEvent<Element>) -> Void
  ) {
    self.source = source
    self.policy = policy
    self.context = context
    self.deliver = deliver
    delay = policy.currentDelay
    state = Lock(State(began: policy.reading))
  }

  func begin() {
    policy.budget.deposit()
    subscribe(.first)
    startTimer()
  }

  /// Schedules the second copy for the rest of the delay, unless the first copy waits for a place.
  private func startTimer() {
    let now = policy.reading
    let next = state.withLock {
      $0.needsTimer ? (rest: delay - (now - $0.began), pauseCount: $0.pauseCount) : nil
    }
    guard let next else { return }
    // If the clock was set back, the rest would be longer than the delay.
    let timer = policy.scheduler.schedule(after: min(delay, max(0, next.rest))) { [weak self] in
      self?.sendSecond()
    }
    let isStored = state.withLock { state in
      // A timer that has fired during a pause would never fire again.
      guard state.needsTimer, state.pauseCount == next.pauseCount else { return false }
      state.timer = timer
      return true
    }
    guard !isStored else { return }
    timer.cancel()
    startTimer()
  }

  /// Stops the delay until the returned disposable is disposed.
  private func pauseDelay() -> any Disposable {
    let now = policy.reading
    let timer = state.withLock { state in
      if state.waits == 0 { state.waitingSince = now }
      state.waits += 1
      state.pauseCount += 1
      return state.timer.take()
    }
    timer?.cancel()
    return Disposables.create { [weak self] in self?.resumeDelay() }
  }

  private func resumeDelay() {
    let now = policy.reading
    state.withLock { state in
      state.waits -= 1
      if state.waits == 0 { state.began += max(0, now - state.waitingSince) }
    }
    startTimer()
  }

  func dispose() {
    let timer = state.withLock { state in
      state.race.cancel()
      return state.timer.take()
    }
    timer?.cancel()
    for copy in copies { copy.dispose() }
  }

  private func sendSecond() {
    let isDue = state.withLock { state in
      if state.race.isUndecided, state.waits == 0 { state.isDue = true }
      return state.isDue
    }
    guard isDue, mayRepeat,
      policy.budget.withdraw(), state.withLock({ $0.race.startSecond() })
    else { return }
    subscribe(.second)
  }

  private func subscribe(_ copy: HedgeRace.Copy) {
    let subscription = requests.run(as: .hedge) {
      source.withContext { _ in self.context(for: copy) }
        .asSingle().subscribe { self.receive($0, of: copy) }
    }
    copies[copy.index].setDisposable(subscription)
  }

  /// Whether the known requests of the first copy may be sent twice.
  private var mayRepeat: Bool {
    let known = sent.own.methods
    return known.isEmpty ? policy.hedgesUnknownRequests : known.isSubset(of: policy.hedgeableHTTPMethods)
  }

  /// Returns the context of a copy, with the record of the first one, and the rule of the second one.
  private func context(for copy: HedgeRace.Copy) -> SubscriptionContext {
    guard copy == .second else {
      let outer = context?.values(of: HedgeDelay.self).first
      let delay = HedgeDelay { [weak self] in
        let pauses = [self?.pauseDelay(), outer?.pause()].compactMap { $0 }
        return Disposables.create { for pause in pauses { pause.dispose() } }
      }
      return SubscriptionContext(delay, within: SubscriptionContext(sent, within: context))
    }
    let rule = SecondCopyRule(methods: policy.hedgeableHTTPMethods) { [weak self] in self?.withdrawSecond() }
    // Its waits delay nothing: neither this hedge nor an outer one, whose first copy runs.
    let delay = HedgeDelay { Disposables.create() }
    return SubscriptionContext(delay, within: SubscriptionContext(rule, within: context))
  }

  private func withdrawSecond() {
    copies[HedgeRace.Copy.second.index].dispose()
    let event = state.withLock { $0.race.end(.second) ? $0.firstEvent.take() : nil }
    if let event { deliver(event) }
  }

  private func receive(_ event: SingleEvent<Element>, of copy: HedgeRace.Copy) {
    let now = policy.reading
    let (counts, began, timer) = state.withLock { state in
      // Checked before the race records the end of the copy.
      let wins = event.isResponse && state.race.respond(copy)
      let isMeasured = wins && state.race.isRunning(.first)
      let counts = state.race.end(copy)
      if copy == .first { state.firstEvent = event }
      return (counts, isMeasured ? state.began(at: now) : nil, counts ? state.timer.take() : nil)
    }
    if let began { policy.record(since: began) }
    guard counts else { return }
    timer?.cancel()
    copies[copy.other.index].dispose()
    deliver(event)
  }
}

/// The delay of a hedge, in the context of its copies; that of the innermost hedge counts.
struct HedgeDelay: Sendable {
  /// Stops the delay, and those of the outer hedges, until the returned disposable is disposed.
  let pause: @Sendable () -> any Disposable
}

/// Ends the second copy before a request that must be sent once, and before it starts a shared sequence,
/// whose other subscribers need its requests.
private struct SecondCopyRule: RequestRule {
  let methods: Set<HTTPMethod>
  let withdraw: @Sendable () -> Void

  func check(_ method: HTTPMethod, _ origin: () -> String) throws {
    if !methods.contains(method) { try end() }
  }

  func ruleForSharedSource(isForeign: Bool) throws -> (any SubscriptionRule)? { try end() }

  private func end() throws -> Never {
    withdraw()
    throw NetworkError.cancelled
  }
}

extension HedgeRace.Copy {
  fileprivate var index: Int { self == .first ? 0 : 1 }
}

extension Result {
  /// Whether the result is an element other than a response whose status another copy may improve.
  fileprivate var isResponse: Bool {
    guard case .success(let element) = self else { return false }
    return (element as? Response)?.failure?.isTransient != true
  }
}
