public import Dispatch
import NetworkCore
public import RxLite

extension ObservableType {
  /// Lets so many elements through in any span of time; the others wait for their turn, in order.
  ///
  /// ```swift
  /// names.throttleRequests(max: 10, per: .seconds(1)).flatMap { provider.rx.request(.user($0)) }
  /// ```
  ///
  /// Unlike `throttle`, it drops nothing: what waits is buffered, without bound unless `maxWaiting` is given. The time is that of the
  /// scheduler's timers, so that nothing changes when the system's clock is set.
  ///
  /// - Parameters:
  ///   - max: how many elements, at least 1: smaller numbers count as that.
  ///   - span: the time, which slides: no `max` + 1 elements are closer together. Nothing waits unless it is more than zero.
  ///   - maxWaiting: how many elements may wait; one more ends the sequence with `OverloadError.queueFull`, and those that wait are
  ///     dropped. Negative numbers count as 0.
  ///   - scheduler: where the time passes; a virtual one for tests.
  /// - Returns: the sequence.
  public func throttleRequests(
    max: Int, per span: RxTimeInterval, maxWaiting: Int = .max,
    scheduler: any SchedulerType = SerialDispatchQueueScheduler(qos: .default)
  ) -> Observable<Element> {
    guard span.inSeconds > 0 else { return asObservable() }
    return Observable.deferred {
      let turns = RequestTurns(Swift.max(1, max), per: span, scheduler)
      let bound = Swift.max(0, maxWaiting)
      return self.do(onNext: { _ in
        if !turns.mayWait(bound) { throw OverloadError.queueFull(maxWaiting: bound) }
      })
      .concatMap { element in turns.next().map { element } }.do(onDispose: turns.end)
    }
  }
}
