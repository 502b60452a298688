public import Dispatch
import Foundation
public import RxLite

extension ObservableType {
  /// Lets so many elements through in any span of time; the others wait for their turn, in order.
  ///
  /// ```swift
  /// names.throttleRequests(max: 10, per: .seconds(1)).flatMap { provider.rx.request(.user($0)) }
  /// ```
  ///
  /// Unlike `throttle`, it drops nothing: what waits is buffered without bound.
  ///
  /// - Parameters:
  ///   - max: how many elements, at least 1: smaller numbers count as that.
  ///   - span: the time, which slides: no `max` + 1 elements are closer together.
  ///   - scheduler: where the time passes; a virtual one for tests.
  /// - Returns: the sequence.
  public func throttleRequests(
    max: Int, per span: RxTimeInterval,
    scheduler: any SchedulerType = SerialDispatchQueueScheduler(qos: .default)
  ) -> Observable<Element> {
    Observable.deferred {
      var departures: [RxTime] = []
      // A clock that was set back must not add to the waiting time.
      var clock = SteadyTime()
      return self.concatMap { element in
        Observable.deferred {
          let now = clock.time(scheduler.now, notBefore: departures.last)
          var departure = now
          if departures.count >= Swift.max(1, max) {
            departure = Swift.max(now, departures.removeFirst().addingTimeInterval(span.inSeconds))
          }
          departures.append(departure)
          if departure == now { return .just(element) }
          return Observable<Int>.timer(.inSeconds(departure.timeIntervalSince(now)), scheduler: scheduler)
            .map { _ in element }
        }
      }
    }
  }
}
