import Dispatch
import NetworkCore
import RxLite

/// The policies and waits of a program, in real or virtual time.
struct ProgramPolicies: Sendable {
  /// The limit of operators and strangers.
  let limit: ConcurrencyLimit
  let layerLimit: ConcurrencyLimit
  let budget: RetryBudget
  let breaker: CircuitBreaker
  /// The rate of operators and layers.
  let rate: RateLimit
  let breakers: PerOrigin<CircuitBreaker>
  let delays: any DelayScheduler
  let scheduler: any SchedulerType
  let isVirtual: Bool

  init(_ clock: VirtualClock?) {
    delays = clock?.delays ?? DispatchDelayScheduler()
    scheduler = clock ?? ConcurrentDispatchQueueScheduler(qos: .default)
    isVirtual = clock != nil
    limit = ConcurrencyLimit(1, scheduler: delays)
    layerLimit = ConcurrencyLimit(2, scheduler: delays)
    budget = RetryBudget(ratio: 1, minimumPerSecond: 1_000, scheduler: delays)
    breaker = CircuitBreaker(opensAt: .consecutiveFailures(1_000), scheduler: delays)
    rate = RateLimit(2, per: isVirtual ? .seconds(30) : .milliseconds(2), scheduler: delays)
    breakers = PerOrigin { [delays] in
      CircuitBreaker(opensAt: .consecutiveFailures(1_000), scheduler: delays)
    }
  }

  /// The wait before a retry, and between polls.
  var wait: RxTimeInterval { isVirtual ? .seconds(60) : .milliseconds(1) }

  /// The wait before a second copy.
  var hedgeDelay: Duration { isVirtual ? .seconds(60) : .milliseconds(4) }

  /// Longer than any program.
  var long: RxTimeInterval { isVirtual ? .seconds(10_000_000) : .seconds(300) }
}
