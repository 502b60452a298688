public import Dispatch
public import NetworkCore
public import RxLite

extension CurlTransport: ReactiveCompatible {}
extension CachingTransport: ReactiveCompatible {}
extension RecordingTransport: ReactiveCompatible {}
extension ChaosTransport: ReactiveCompatible {}
extension Session: ReactiveCompatible {}

extension Reactive where Base: Transport {
  /// Returns the gauges of the transport, at once and then at an interval.
  ///
  /// ```swift
  /// let transport = try CurlTransport()
  /// let busy = transport.rx.gauges(every: .seconds(1)).map(\.requestsInFlight).distinctUntilChanged()
  /// ```
  ///
  /// Each subscription reads the gauges separately, on the scheduler, and keeps the transport alive. The
  /// sequence does not end, and is without values if the transport has no gauges.
  ///
  /// - Parameters:
  ///   - interval: the time between two values.
  ///   - scheduler: the clock, which also delivers the values.
  /// - Returns: the sequence.
  public func gauges(
    every interval: RxTimeInterval,
    scheduler: any SchedulerType = SerialDispatchQueueScheduler(qos: .default)
  ) -> Observable<TransportGauges> {
    let transport: any Transport = base
    return Observable<Int>.timer(.seconds(0), period: interval, scheduler: scheduler)
      .compactMap { _ in transport.gauges }
  }
}
