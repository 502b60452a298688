public import Dispatch
import NetworkCore
public import RxLite

extension ObservableType {
  /// Forwards at most a given number of elements in any time span; the others wait in order.
  ///
  /// ```swift
  /// names.throttleRequests(max: 10, per: .seconds(1)).flatMap { provider.rx.request(.user($0)) }
  /// ```
  ///
  /// Unlike `throttle`, it drops no elements: waiting elements are buffered, without limit unless
  /// `maxWaiting` is given. Time is measured by the scheduler's timers, so setting the system's clock has no
  /// effect.
  ///
  /// - Parameters:
  ///   - max: the number of elements; numbers less than 1 count as 1.
  ///   - span: the length of the sliding span: in any period of this length, at most `max` elements are
  ///     forwarded. If it is zero or less, nothing waits.
  ///   - maxWaiting: the number of elements that may wait. One more ends the sequence with
  ///     `OverloadError.queueFull`, and the waiting elements are dropped. Negative numbers count as 0.
  ///   - scheduler: measures the time; a virtual scheduler for tests.
  /// - Returns: the sequence.
  public func throttleRequests(
    max: Int, per span: RxTimeInterval, maxWaiting: Int = .max,
    scheduler: any SchedulerType = SerialDispatchQueueScheduler(qos: .default)
  ) -> Observable<Element> {
    guard span.inSeconds > 0 else { return asObservable() }
    let source = asObservable()
    return Observable.deferred {
      let limiter = RateLimiter(Swift.max(1, max), per: span, scheduler)
      let bound = Swift.max(0, maxWaiting)
      return source.do(onNext: { _ in
        if !limiter.admit(bound) { throw OverloadError.queueFull(maxWaiting: bound) }
      })
      .concatMap { element in limiter.next().mapTo(element) }.do(onDispose: limiter.end)
    }
  }
}
