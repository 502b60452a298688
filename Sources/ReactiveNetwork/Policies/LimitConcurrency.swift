public import NetworkCore
public import RxLite

extension ObservableType {
  /// Subscribes when a limit has a place free, which it takes until the sequence ends or is disposed.
  ///
  /// A subscription that waits is taken out of the queue by its dispose. A sequence that is refused, or has waited too long, fails with
  /// `OverloadError` without a subscription to the source. The place is free before the end is delivered. Sources that have to wait are
  /// subscribed on the thread that frees a place.
  ///
  /// - Parameters:
  ///   - limit: the limit, which other sequences may share.
  ///   - priority: sequences with a higher number come first.
  ///   - longestWait: how long to wait for a place, on the limit's scheduler; `nil` for any time.
  /// - Returns: the sequence.
  public func limitConcurrency(
    _ limit: ConcurrencyLimit, priority: Int = 0, longestWait: RxTimeInterval? = nil
  ) -> Observable<Element> {
    let source = asObservable()
    return limit.turn(priority, longestWait).flatMap { turn in
      source.do(
        onError: { _ in turn.release() }, onCompleted: { turn.release() }, onDispose: { turn.release() })
    }
  }
}

extension PrimitiveSequence where Trait == SingleTrait {
  /// Subscribes when a limit has a place free, which it takes until the single ends or is disposed.
  ///
  /// It does what it does on observables.
  ///
  /// - Parameters:
  ///   - limit: the limit, which other sequences may share.
  ///   - priority: sequences with a higher number come first.
  ///   - longestWait: how long to wait for a place, on the limit's scheduler; `nil` for any time.
  /// - Returns: the single; it fails with `OverloadError` if it gets no place.
  public func limitConcurrency(
    _ limit: ConcurrencyLimit, priority: Int = 0, longestWait: RxTimeInterval? = nil
  ) -> Single<Element> {
    asObservable().limitConcurrency(limit, priority: priority, longestWait: longestWait).asSingle()
  }
}

extension ConcurrencyLimit {
  /// Completes with a turn; one that comes after the dispose is dropped, which releases it.
  fileprivate func turn(_ priority: Int, _ longestWait: RxTimeInterval?) -> Observable<Turn> {
    Observable.create { observer in
      let waiting = self.acquire(priority: priority, longestWait: longestWait?.inSeconds) { result in
        switch result {
        case .failure(let error): observer.onError(error)
        case .success(let turn):
          observer.onNext(turn)
          observer.onCompleted()
        }
      }
      return Disposables.create { waiting.cancel() }
    }
  }
}
