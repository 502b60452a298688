public import Dispatch
import NetworkCore
import ReactiveNetworkLock
public import RxLite

extension ObservableType {
  /// Forwards at most a given number of elements in any time span; the others wait in order.
  ///
  /// ```swift
  /// names.throttleRequests(max: 10, per: .seconds(1)).flatMap { provider.rx.request(.user($0)) }
  /// ```
  ///
  /// Each subscription counts its own elements; `limitRate(_:longestWait:)` counts the requests of many. Unlike
  /// `throttle`, it drops no elements: waiting elements are buffered, without limit unless
  /// `maxWaiting` is given. Time is measured by the scheduler's timers, so setting the system's clock has no
  /// effect.
  ///
  /// - Parameters:
  ///   - max: the number of elements; numbers less than 1 count as 1.
  ///   - span: the length of the sliding span: in any period of this length, at most `max` elements are
  ///     forwarded. If it is zero or less, nothing waits.
  ///   - maxWaiting: the number of elements that may wait. One more ends the sequence with
  ///     `TransferError.queueFull` in a `NetworkError`, and the waiting elements are dropped. Negative numbers
  ///     count as 0.
  ///   - scheduler: measures the time; a virtual scheduler for tests.
  /// - Returns: the sequence.
  public func throttleRequests(
    max: Int, per span: RxTimeInterval, maxWaiting: Int = .max,
    scheduler: any SchedulerType = SerialDispatchQueueScheduler(qos: .default)
  ) -> Observable<Element> {
    guard span.inSeconds > 0 else { return asObservable() }
    let source = asObservable()
    return Observable.deferred {
      let limit = RateLimit(max, per: Duration(span), scheduler: scheduler.asDelayScheduler())
      let bound = Swift.max(0, maxWaiting)
      /// The number of elements that have arrived and not started, one of which waits in the limit.
      let waitingCount = Lock(0)
      return source.do(onNext: { _ in
        let free = limit.freeCount
        let isAdmitted = waitingCount.withLock { count in
          guard free > count || count < bound else { return false }
          count += 1
          return true
        }
        if !isAdmitted { throw NetworkError.underlying(TransferError.queueFull(maxWaiting: bound), nil) }
      })
      .concatMap { element in
        limit.turn(longestWait: nil).do(onNext: { _ in waitingCount.withLock { $0 -= 1 } }).mapTo(element)
      }
    }
  }
}
