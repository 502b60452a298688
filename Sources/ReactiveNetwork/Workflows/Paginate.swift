public import Dispatch
internal import struct Foundation.URL
public import NetworkCore
public import RxLite

extension PrimitiveSequence where Trait == SingleTrait {
  /// Sends this element, then that of the single made of it, and so on, until there is no next one.
  ///
  /// The next single is asked for after an element was delivered, so that `take(2)` asks for no third page. It may ask any server:
  /// where a server names the next page, compare its origin before you send credentials there, or use `paginate` of `provider.rx`.
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
  /// A page with another origin (scheme, host or port) than the first one is not requested, because a server that names it would get
  /// what the provider's plugins add, such as a token: the sequence fails with ``PaginationError/otherOrigin(_:first:)``. That
  /// includes a page relative to where a redirect of the first one has led. The origins are those of the endpoints
  /// that the provider makes of the targets.
  ///
  /// - Parameters:
  ///   - first: the first page.
  ///   - callbackQueue: where the responses are delivered; as with `request(_:callbackQueue:)`.
  ///   - allowsOtherOrigins: whether pages of other origins than the first page's are requested, credentials included.
  ///   - next: makes the target of the next page of a response, `nil` after the last; `Response.links` has what the server
  ///     says of it. What it throws ends the sequence.
  /// - Returns: the sequence of responses.
  public func paginate(
    _ first: Base.Target, callbackQueue: DispatchQueue? = nil, allowsOtherOrigins: Bool = false,
    next: @escaping (Response) throws -> Base.Target?
  ) -> Observable<Response> {
    let provider = self
    return request(first, callbackQueue: callbackQueue).paginate { response in
      guard let target = try next(response) else { return nil }
      if !allowsOtherOrigins {
        let (origin, expected) = (provider.origin(of: target), provider.origin(of: first))
        guard origin == expected else { throw PaginationError.otherOrigin(origin, first: expected) }
      }
      return provider.request(target, callbackQueue: callbackQueue)
    }
  }

  /// Where a request for a target goes, by its endpoint if the provider makes one.
  private func origin(of target: Base.Target) -> String {
    let endpoint = (base as? NetworkProvider<Base.Target>)?.endpoint(target)
    return Origin.text(of: endpoint.flatMap { URL(string: $0.url) } ?? URL(target: target))
  }
}
