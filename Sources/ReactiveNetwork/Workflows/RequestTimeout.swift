public import Dispatch
import NetworkCore
public import RxLite

extension PrimitiveSequence where Trait == SingleTrait {
  /// Fails with a `NetworkError` if no element arrives in time, and disposes the source.
  ///
  /// `timeout(_:scheduler:)` does the same but fails with `RxError.timeout`. This operator fails with the
  /// error of a transfer that times out.
  ///
  /// - Parameters:
  ///   - dueTime: the time from the subscription.
  ///   - scheduler: measures the time; a virtual scheduler for tests.
  /// - Returns: the single, which fails with a `NetworkError` whose `transferError` is
  ///   `.timedOut(.total, after:)`.
  public func requestTimeout(
    _ dueTime: RxTimeInterval, scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .default)
  ) -> Single<Element> {
    timeout(
      dueTime,
      other: .error(NetworkError.underlying(TransferError.timedOut(.total, after: dueTime.inSeconds), nil)),
      scheduler: scheduler)
  }
}
