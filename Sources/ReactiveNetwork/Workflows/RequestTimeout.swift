public import Dispatch
import NetworkCore
public import RxLite

extension PrimitiveSequence where Trait == SingleTrait {
  /// Fails with the network's own error where no answer comes in time; what is upstream is cancelled.
  ///
  /// `timeout(_:scheduler:)` fails with `RxError.timeout`; this is the same with the error a transfer would have.
  ///
  /// - Parameters:
  ///   - dueTime: the time from the subscription.
  ///   - scheduler: where it passes; a virtual one for tests.
  /// - Returns: the single; it fails with a `NetworkError` whose `transferError` is `.timedOut(.total, after:)`.
  public func requestTimeout(
    _ dueTime: RxTimeInterval, scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .default)
  ) -> Single<Element> {
    timeout(
      dueTime,
      other: .error(NetworkError.underlying(TransferError.timedOut(.total, after: dueTime.inSeconds), nil)),
      scheduler: scheduler)
  }
}
