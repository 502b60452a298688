import ReactiveNetworkLock
public import NetworkCore
public import RxLite

extension ObservableType {
  /// Subscribes when a limit has a free place, and holds the place until the sequence ends or is disposed.
  ///
  /// Disposing a waiting subscription removes it from the queue. A sequence that is refused, or has waited
  /// too long, fails with a `NetworkError` whose `transferError` is `.queueFull` or `.waitedTooLong`, as a request
  /// does with the transport's `limitConcurrency(_:longestWait:priority:)`, and the source is not subscribed. The
  /// place is released before
  /// the end is delivered. A source that has to wait is subscribed on the limit's scheduler.
  ///
  /// A limit that adapts treats time-outs, also `RxError.timeout`, failed or lost connections, and a status such as
  /// 503 as signs of overload, whether or not the response is filtered. Any other failure that takes longer
  /// than `LimitAdaptation.slowest` is such a sign too, unless it is a refusal. A faster error that the server's answer
  /// causes, such as `.badServerResponse`, counts as a response. Other errors say nothing about the server, unless they
  /// come after an element. The latency of a sequence is the time until its first element.
  ///
  /// - Parameters:
  ///   - limit: the limit, which other sequences may share.
  ///   - priority: sequences with a higher number come first.
  ///   - longestWait: the longest wait for a place, on the limit's scheduler; `nil` for no limit.
  /// - Returns: the sequence.
  public func limitConcurrency(
    _ limit: ConcurrencyLimit, priority: Int = 0, longestWait: RxTimeInterval? = .seconds(30)
  ) -> Observable<Element> {
    let source = asObservable()
    return limit.permit(priority, longestWait).flatMap { permit in
      guard limit.isAdaptive else {
        return source.do(
          onError: { _ in permit.release() }, onCompleted: { permit.release() },
          onDispose: { permit.release() })
      }
      // `nil` before the response, after which a call that is disposed says as much as any other.
      let ending = Lock<ConcurrencyLimit.Permit.Ending?>(nil)
      return source.do(
        onNext: { element in
          // The progress of an upload comes before the response.
          let progress = element as? ProgressResponse
          guard progress?.completed != false else { return }
          permit.noteResponse()
          let response = progress?.response ?? element as? Response
          ending.withLock { $0 = response.map { .init(status: $0.statusCode) } ?? .responded }
        },
        onError: { error in
          let isTimeout = if case RxError.timeout = error { true } else { false }
          permit.release(isTimeout ? .overloaded : .init(error: error, after: ending.withLock { $0 }))
        },
        onCompleted: { permit.release(ending.withLock { $0 } ?? .responded) },
        onDispose: { permit.release(ending.withLock { $0 } ?? .cancelled) })
    }
  }
}

extension PrimitiveSequence where Trait == SingleTrait {
  /// Subscribes when a limit has a free place, and holds the place until the single ends or is disposed.
  ///
  /// It behaves like the operator of observables.
  ///
  /// - Parameters:
  ///   - limit: the limit, which other sequences may share.
  ///   - priority: sequences with a higher number come first.
  ///   - longestWait: the longest wait for a place, on the limit's scheduler; `nil` for no limit.
  /// - Returns: the single; it fails with a `NetworkError` if it gets no place.
  public func limitConcurrency(
    _ limit: ConcurrencyLimit, priority: Int = 0, longestWait: RxTimeInterval? = .seconds(30)
  ) -> Single<Element> {
    asObservable().limitConcurrency(limit, priority: priority, longestWait: longestWait).asSingle()
  }
}

extension ConcurrencyLimit {
  /// Emits a permit and completes.
  ///
  /// A permit that arrives after the dispose is dropped, which releases it.
  fileprivate func permit(_ priority: Int, _ longestWait: RxTimeInterval?) -> Observable<Permit> {
    Observable.waiting {
      self.acquire(
        priority: priority, longestWait: longestWait.flatMap { $0 == .never ? nil : Duration($0) }, $0)
    }
  }
}

extension Observable where Element: Sendable {
  /// Emits what a limit gives to a call, and completes; the delay of a hedge does not run meanwhile.
  ///
  /// - Parameter acquire: waits in the limit.
  /// - Returns: the sequence, which fails with the refusal in a `NetworkError`.
  static func waiting(
    _ acquire:
      @escaping @Sendable (@escaping @Sendable (Result<Element, TransferError>) -> Void)
      -> any Cancellable
  ) -> Observable<Element> {
    Observable.create { observer in
      // A request that waits for a place is not late.
      let delay = observer.context?.values(of: HedgedCopy.self).first?.delay
      delay?.pause()
      let pause = delay.map { delay in Disposables.create { delay.resume() } }
      let waiting = acquire { result in
        switch result {
        case .failure(let error): observer.onError(NetworkError.underlying(error, nil))
        case .success(let turn):
          observer.onNext(turn)
          observer.onCompleted()
        }
        // After the subscription to the source, whose request is then known to the hedge.
        pause?.dispose()
      }
      return Disposables.create {
        waiting.cancel()
        pause?.dispose()
      }
    }
  }
}
