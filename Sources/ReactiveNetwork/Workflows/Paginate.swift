public import Dispatch
public import NetworkCore
public import RxLite

extension PrimitiveSequence where Trait == SingleTrait {
  /// Sends this element, then that of the single made of it, and so on, until there is no next one.
  ///
  /// The next single is asked for after an element was delivered, so that `take(2)` asks for no third page.
  ///
  /// - Parameter next: makes the next single of an element, `nil` after the last; what it throws ends the sequence.
  /// - Returns: the sequence of elements.
  public func paginate(next: @escaping (Element) throws -> Single<Element>?) -> Observable<Element> {
    Observable.deferred {
      var upcoming: Single<Element>? = self
      let pages = AnyIterator {
        // On the trampoline, so that pages which are there at once can be disposed between one and the next.
        upcoming.take()?.asObservable().do(afterNext: { upcoming = try next($0) })
          .subscribe(on: CurrentThreadScheduler.instance)
      }
      return Observable.concat(AnySequence { pages })
    }
  }
}

extension Reactive where Base: NetworkProviderType {
  /// Requests page after page.
  ///
  /// ```swift
  /// provider.rx.paginate(.issues(page: 1)) { response in response.links["next"].map { .page($0) } }
  ///   .map([Issue].self)
  /// ```
  ///
  /// The next page is requested after the one before was delivered. Disposing takes the transfer that runs off the wire.
  ///
  /// - Parameters:
  ///   - first: the first page.
  ///   - callbackQueue: where the responses are delivered; as with `request(_:callbackQueue:)`.
  ///   - next: makes the target of the next page of a response, `nil` after the last; `Response.links` has what the server
  ///     says of it. What it throws ends the sequence.
  /// - Returns: the sequence of responses.
  public func paginate(
    _ first: Base.Target, callbackQueue: DispatchQueue? = nil,
    next: @escaping (Response) throws -> Base.Target?
  ) -> Observable<Response> {
    let provider = self
    return request(first, callbackQueue: callbackQueue).paginate { response in
      try next(response).map { provider.request($0, callbackQueue: callbackQueue) }
    }
  }
}
