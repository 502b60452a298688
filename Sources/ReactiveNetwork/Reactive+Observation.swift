public import Dispatch
public import NetworkCore
import ReactiveNetworkLock
public import RxLite

extension ObservedProvider: ReactiveCompatible {}

extension Reactive where Base: NetworkProviderType {
  /// The events of the provider's requests that start during the subscription.
  ///
  /// ```swift
  /// let slow = provider.rx.requestEvents.filter { event in
  ///   if case .ended(_, let metrics?) = event.kind { metrics.total > .seconds(1) } else { false }
  /// }
  /// ```
  ///
  /// The events of all requests arrive one at a time, and those of one request in order, on the threads that
  /// `RequestObserver` describes. The sequence keeps the provider alive and does not end.
  public var requestEvents: Observable<RequestEvent> {
    let provider = base
    return Observable.create { observer in
      let token = provider.observeRequests { observer.onNext($0) }
      return Disposables.create { token.cancel() }
    }
  }
}

extension Reactive {
  /// Returns the events of one request.
  ///
  /// The request is sent when you subscribe, and each subscription sends it again. The sequence completes
  /// after `ended`, even if the request fails. Disposing the subscription cancels the request. The body of
  /// the response is dropped; to receive it as well, use `provider.observed(by:).rx`.
  ///
  /// The events of a second copy that a hedging transport sends are included. The copy has its own identifier and
  /// its own `ended`, which does not complete the sequence.
  ///
  /// - Parameters:
  ///   - target: the target to request.
  ///   - callbackQueue: the queue for the events after the response; `nil` for the provider's queue.
  /// - Returns: the sequence.
  public func requestEvents<Target>(of target: Target, callbackQueue: DispatchQueue? = nil)
    -> Observable<RequestEvent> where Base: NetworkProvider<Target>
  {
    let provider = base
    return Observable.create { observer in
      guard let admitted = admit(target, in: observer.context, refuse: { observer.onError($0) }) else {
        return Disposables.create()
      }
      let first = Lock<RequestID?>(nil)
      let observed = provider.observed { event in
        // The request itself is queued before any copy of it.
        let id = first.withLock { first in
          first = first ?? event.id
          return first
        }
        if case .ended(.failure(let error), _) = event.kind, event.id == id { admitted.end(error) }
        observer.onNext(event)
        if case .ended = event.kind, event.id == id { observer.onCompleted() }
      }
      let request = admitted.start { observed.request(target, callbackQueue: callbackQueue) { _ in } }
      return Disposables.create { request.cancel() }
    }
  }
}
