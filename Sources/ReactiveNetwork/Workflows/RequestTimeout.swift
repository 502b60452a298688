public import Dispatch
import NetworkCore
public import RxLite

extension PrimitiveSequence where Trait == SingleTrait {
  /// Fails with a `NetworkError` if no element arrives in time, and disposes the source.
  ///
  /// It fails with the error of a transfer that times out. The request is cancelled on the wire before the
  /// error is delivered, and not after it as by `timeout(_:scheduler:)`, because the observer may block.
  ///
  /// - Parameters:
  ///   - dueTime: the time from the subscription.
  ///   - scheduler: measures the time; a virtual scheduler for tests.
  /// - Returns: the single, which fails with a `NetworkError` whose `transferError` is
  ///   `.timedOut(.total, after:)`.
  public func requestTimeout(
    _ dueTime: RxTimeInterval, scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .default)
  ) -> Single<Element> {
    let error = TransferError.timedOut(.total, after: Duration(dueTime))
    return failing(with: NetworkError.underlying(error, nil), after: dueTime, scheduler)
  }

  /// Fails with an error if no element arrives in time; disposes the source first.
  func failing(
    with error: any Error, after dueTime: RxTimeInterval, _ scheduler: any SchedulerType
  ) -> Single<Element> {
    let failure = Observable<Int>.timer(dueTime, scheduler: scheduler).map { _ -> Element in throw error }
    return Observable.amb([failure, asObservable()]).asSingle()
  }
}
