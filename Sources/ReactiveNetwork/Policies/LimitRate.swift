public import NetworkCore
public import RxLite

extension ObservableType {
  /// Subscribes when a limit lets another call start.
  ///
  /// All subscriptions that share the limit count together. Disposing a waiting subscription removes it from the
  /// queue. A sequence that is refused, or has waited too long, fails with a `NetworkError` whose
  /// `transferError` is `.queueFull` or `.waitedTooLong`, and the source is not subscribed. A source that has to
  /// wait is subscribed on the limit's scheduler.
  ///
  /// - Parameters:
  ///   - limit: the limit, which other sequences and transports may share.
  ///   - longestWait: the longest wait, on the limit's scheduler; `nil` for no limit.
  /// - Returns: the sequence.
  public func limitRate(
    _ limit: RateLimit, longestWait: RxTimeInterval? = .seconds(30)
  ) -> Observable<Element> {
    let source = asObservable()
    return limit.turn(longestWait: longestWait).flatMap { _ in source }
  }
}

extension PrimitiveSequence where Trait == SingleTrait {
  /// Subscribes when a limit lets another call start.
  ///
  /// It behaves like the operator of observables.
  ///
  /// - Parameters:
  ///   - limit: the limit, which other sequences and transports may share.
  ///   - longestWait: the longest wait, on the limit's scheduler; `nil` for no limit.
  /// - Returns: the single; it fails with a `NetworkError` if it gets no turn.
  public func limitRate(_ limit: RateLimit, longestWait: RxTimeInterval? = .seconds(30)) -> Single<Element> {
    asObservable().limitRate(limit, longestWait: longestWait).asSingle()
  }
}

extension RateLimit {
  /// Emits an element and completes when a call may start.
  func turn(longestWait: RxTimeInterval?) -> Observable<Void> {
    .waiting { self.acquire(longestWait: longestWait.flatMap { $0 == .never ? nil : Duration($0) }, $0) }
  }
}
