public import Dispatch
public import NetworkCore
public import RxLite

extension ObservableType {
  /// Subscribes again after errors, as a policy says.
  ///
  /// ```swift
  /// let policy = RetryPolicy(retryLimit: 5, deadline: .seconds(30))
  /// let repos = provider.rx.request(.repos("ash")).filterSuccessfulStatusCodes().retry(policy)
  /// ```
  ///
  /// The policy can also be among the `interceptors` of a provider, but not in both places, because the attempts would
  /// multiply. Here, it applies to each `NetworkError` of the pipeline, whatever operator has caused it, and its waits
  /// can run in virtual time. Methods that a subclass overrides are not called. A WebSocket whose server does
  /// not answer pings, or has closed with 1011 to 1014, is opened again. Everything else, such as the rules for shared
  /// sequences and for bodies that can be read only once, is as for `retry(backoff:)`.
  ///
  /// - Parameters:
  ///   - policy: the waits, the number of attempts, the methods, status codes and errors to retry, the deadline and
  ///     the budget. Each subscription deposits in the budget.
  ///   - resetOnSuccess: whether an element ends the row of failures, so that attempts and waits count from the
  ///     beginning again.
  ///   - scheduler: measures the waits and the deadline; a virtual scheduler for tests.
  /// - Returns: the sequence, which ends with the last error.
  public func retry(
    _ policy: RetryPolicy, resetOnSuccess: Bool = false,
    scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .default)
  ) -> Observable<Element> {
    retry(
      Backoff(policy.backoff), retryLimit: Int(clamping: policy.retryLimit),
      resetOnSuccess: resetOnSuccess, within: policy.bounds, of: policy.retryableHTTPMethods,
      ifUnknown: false,
      when: { policy.mayPass($0, statusCode: ($0 as? NetworkError)?.response?.statusCode) }, scheduler)
  }
}

extension PrimitiveSequence where Trait == SingleTrait {
  /// Subscribes again after errors, as a policy says.
  ///
  /// It works like the operator of observables. In addition, a `Response` with a status of 400 or more counts as
  /// `NetworkError.statusCode` although no filter has refused it, and the response of the last attempt is the element
  /// of the single.
  ///
  /// - Parameters:
  ///   - policy: the waits, the number of attempts, the methods, status codes and errors to retry, the deadline and
  ///     the budget.
  ///   - scheduler: measures the waits and the deadline; a virtual scheduler for tests.
  /// - Returns: the single, which ends with the last error or response.
  public func retry(
    _ policy: RetryPolicy, scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .default)
  ) -> Single<Element> {
    treatingFailuresAsErrors { $0.asObservable().retry(policy, scheduler: scheduler).asSingle() }
  }
}
