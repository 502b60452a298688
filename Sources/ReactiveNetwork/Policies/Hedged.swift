public import Dispatch
import Foundation
import ReactiveNetworkLock
public import NetworkCore
public import RxLite

extension PrimitiveSequence where Trait == SingleTrait {
  /// Subscribes a second time if the element is late, and uses the element that arrives first.
  ///
  /// ```swift
  /// let hedge = HedgePolicy(
  ///   after: .percentile(95, initially: .milliseconds(200)), budget: RetryBudget(ratio: 0.1))
  /// let answer = provider.rx.request(.zen).hedged(hedge)
  /// ```
  ///
  /// The first element wins. The other subscription is disposed before the element is delivered, which
  /// cancels its request. An error, or a `Response` with a status of
  /// `RetryPolicy.defaultRetryableHTTPStatusCodes`, counts only if the other copy is not running, or is a second one
  /// that waits for a place in a limit. So the single fails at once if its first copy fails before the second one is
  /// sent (use `retry` for that), and otherwise with the last error.
  ///
  /// There is no second copy if the budget is empty, or if the first copy has sent a request whose method is
  /// not among the policy's `hedgeableHTTPMethods`, or whose body can be read only once. The delay does not run while
  /// the first copy waits for a place in `limitConcurrency(_:priority:longestWait:)`. If no request of `provider.rx`
  /// is known, because the first copy waits in another queue, or because it is shared or in a subscription that a
  /// closure makes, the policy's `hedgesUnknownRequests` decides. A second copy that would send a request with another method, or
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
        after: .fixed(Duration(delay)), budget: budget,
        hedgeableHTTPMethods: hedgeableHTTPMethods, hedgesUnknownRequests: hedgesUnknownRequests,
        scheduler: scheduler.asDelayScheduler()))
  }
}

/// One subscription to a hedged single.
private final class HedgedSubscription<Element>: Sendable {
  private struct State {
    var race = HedgeRace()
    /// The event of the first copy, which counts if the second one is withdrawn.
    var firstEvent: SingleEvent<Element>?
  }

  private let source: Observable<Element>
  private let policy: HedgePolicy
  private let context: SubscriptionContext?
  private let deliver: @Sendable (SingleEvent<Element>) -> Void
  private let sent = EffectRecord()
  private let requests = RelatedRequests()
  private let copies = [SingleAssignmentDisposable(), SingleAssignmentDisposable()]
  private let delay: HedgeDelay
  /// Never starts: it only tells whether the second copy waits for a place, which delays nothing.
  private let secondWait: HedgeDelay
  private let state = Lock(State())

  init(
    _ source: Observable<Element>, _ policy: HedgePolicy, _ context: SubscriptionContext?,
    _ deliver: @escaping @Sendable (SingleEvent<Element>) -> Void
  ) {
    self.source = source
    self.policy = policy
    self.context = context
    self.deliver = deliver
    delay = HedgeDelay(
      policy.currentDelay.inSeconds, scheduler: policy.scheduler,
      within: context?.values(of: HedgedCopy.self).first?.delay)
    secondWait = HedgeDelay(0, scheduler: policy.scheduler, within: nil)
  }

  func begin() {
    policy.budget.deposit()
    subscribe(.first)
    delay.start { [weak self] in self?.sendSecond() }
  }

  func dispose() {
    state.withLock { $0.race.cancel() }
    delay.cancel()
    for copy in copies { copy.dispose() }
  }

  private func sendSecond() {
    guard state.withLock({ $0.race.isUndecided }), mayRepeat, policy.budget.withdraw(),
      state.withLock({ $0.race.startSecond() })
    else { return }
    subscribe(.second)
  }

  private func subscribe(_ copy: HedgeRace.Copy) {
    let subscription = source.withContext { _ in self.context(for: copy) }
      .asSingle().subscribe { self.receive($0, of: copy) }
    copies[copy.rawValue].setDisposable(subscription)
  }

  /// Whether the known requests of the first copy may be sent twice.
  private var mayRepeat: Bool {
    let known = sent.own.methods
    return known.isEmpty ? policy.hedgesUnknownRequests : known.isSubset(of: policy.hedgeableHTTPMethods)
  }

  /// Returns the context of a copy, with the record of the first one, and the rule of the second one.
  private func context(for copy: HedgeRace.Copy) -> SubscriptionContext {
    let related = SubscriptionContext(RelatedStart(start: requests.start(as: .hedge)), within: context)
    let hedged = HedgedCopy(delay: copy == .first ? delay : secondWait)
    let common = SubscriptionContext(hedged, within: related)
    guard copy == .second else { return SubscriptionContext(sent, within: common) }
    let rule = SecondCopyRule(methods: policy.hedgeableHTTPMethods) { [weak self] in self?.withdrawSecond() }
    return SubscriptionContext(rule, within: common)
  }

  private func withdrawSecond() {
    copies[HedgeRace.Copy.second.rawValue].dispose()
    let event = state.withLock { $0.race.end(.second) ? $0.firstEvent.take() : nil }
    if let event { deliver(event) }
  }

  private func receive(_ event: SingleEvent<Element>, of copy: HedgeRace.Copy) {
    let (counts, isMeasured) = state.withLock { state in
      // Checked before the race records the end of the copy.
      let isMeasured = event.isResponse && state.race.respond(copy) && state.race.isFirstRunning
      if copy == .first { state.firstEvent = event }
      return (state.race.end(copy, secondWaits: secondWait.isPaused), isMeasured)
    }
    if isMeasured { policy.record(since: delay.began) }
    guard counts else { return }
    delay.cancel()
    copies[copy.other.rawValue].dispose()
    deliver(event)
  }
}

/// A copy of a hedged single, in the context of its subscription; that of the innermost hedge counts.
struct HedgedCopy: Sendable {
  /// What a wait for a place stops.
  let delay: HedgeDelay
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

extension Result {
  /// Whether the result is an element other than a response whose status another copy may improve.
  fileprivate var isResponse: Bool {
    guard case .success(let element) = self else { return false }
    return (element as? Response)?.failure?.isTransient != true
  }
}
