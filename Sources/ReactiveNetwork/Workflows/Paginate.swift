public import Dispatch
internal import struct Foundation.URL
public import NetworkCore
public import RxLite

extension PrimitiveSequence where Trait == SingleTrait {
  /// Sends this element, then that of the single made of it, and so on, until there is no next one.
  ///
  /// The next single is asked for after an element was delivered, so that `take(2)` asks for no third page.
  ///
  /// A request of `provider.rx` that a further page sends to another origin (scheme, host or port) than the first page has asked is
  /// not sent, because a server that names the next page would get what the provider's plugins add, such as a token: the sequence
  /// fails with ``PaginationError/otherOrigin(_:first:)``. Requests that a page sends behind a change of threads (`observe(on:)`, `delay`)
  /// are not known, nor are those of other libraries.
  ///
  /// - Parameters:
  ///   - cursor: where a subscription begins, and what remembers how far it came, so that the next one continues there; `nil` if each
  ///     subscription begins with this single.
  ///   - allowsOtherOrigins: whether pages may ask other origins than the first page has, credentials included.
  ///   - next: makes the next single of an element, `nil` after the last; what it throws ends the sequence.
  /// - Returns: the sequence of elements.
  public func paginate(
    from cursor: PageCursor<Single<Element>>? = nil, allowsOtherOrigins: Bool = false,
    next: @escaping (Element) throws -> Single<Element>?
  ) -> Observable<Element> {
    guard !allowsOtherOrigins else {
      return pages(of: self, from: cursor, request: { page, _ in page }, isDone: { _ in true }, next: next)
    }
    return Observable.deferred {
      let origins = cursor?.origins ?? PageOrigins()
      let request = { (page: Single<Element>, isFirst: Bool) in
        origins.guarding(page.asObservable(), isFirst: isFirst).asSingle()
      }
      return pages(of: self, from: cursor, request: request, isDone: { _ in true }, next: next)
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
  /// With a cursor, a subscription continues where the one before failed or was disposed, and so does each attempt of `retry`. A response
  /// with a status other than 200 to 299 is delivered, but does not move the cursor, so that its page is requested again:
  ///
  /// ```swift
  /// let cursor = PageCursor<GitHub>()
  /// let pages = provider.rx.paginate(.issues(page: 1), from: cursor) { $0.links["next"].map { .page($0) } }
  /// let issues = pages.filterSuccessfulStatusCodes().retry(backoff: .exponential())
  /// ```
  ///
  /// A page with another origin (scheme, host or port) than the first one is not requested, because a server that names it would get
  /// what the provider's plugins add, such as a token: the sequence fails with ``PaginationError/otherOrigin(_:first:)``. That
  /// includes a page relative to where a redirect of the first one has led. The origins are those of the endpoints
  /// that the provider makes of the targets.
  ///
  /// - Parameters:
  ///   - first: the first page.
  ///   - cursor: where a subscription begins, and what remembers how far it came; `nil` if each subscription begins with the first page.
  ///   - callbackQueue: where the responses are delivered; as with `request(_:callbackQueue:)`.
  ///   - allowsOtherOrigins: whether pages of other origins than the first page's are requested, credentials included.
  ///   - next: makes the target of the next page of a response, `nil` after the last; `Response.links` has what the server
  ///     says of it. What it throws ends the sequence.
  /// - Returns: the sequence of responses.
  public func paginate(
    _ first: Base.Target, from cursor: PageCursor<Base.Target>? = nil, callbackQueue: DispatchQueue? = nil,
    allowsOtherOrigins: Bool = false, next: @escaping (Response) throws -> Base.Target?
  ) -> Observable<Response> {
    let request = { (target: Base.Target, isFirst: Bool) throws -> Single<Response> in
      if !isFirst, !allowsOtherOrigins {
        let (origin, expected) = (self.origin(of: target), self.origin(of: first))
        guard origin == expected else { throw PaginationError.otherOrigin(origin, first: expected) }
      }
      return self.request(target, callbackQueue: callbackQueue)
    }
    // What asks for a good status stands behind this, and must get the page again.
    let isDone = { (response: Response) in 200..<300 ~= response.statusCode }
    return pages(of: first, from: cursor, request: request, isDone: isDone, next: next)
  }

  /// Where a request for a target goes, by its endpoint if the provider makes one.
  func origin(of target: Base.Target) -> String {
    let endpoint = (base as? NetworkProvider<Base.Target>)?.endpoint(target)
    return Origin.text(of: endpoint.flatMap { URL(string: $0.url) } ?? URL(target: target))
  }
}

/// Requests page after page, each one after the one before was delivered.
private func pages<Page, Element>(
  of first: Page, from cursor: PageCursor<Page>?,
  request: @escaping (_ page: Page, _ isFirst: Bool) throws -> Single<Element>,
  isDone: @escaping (Element) -> Bool, next: @escaping (Element) throws -> Page?
) -> Observable<Element> {
  Observable.deferred {
    var upcoming = cursor?.page
    var isFirst = upcoming == nil
    if isFirst { upcoming = first }
    let pages = AnyIterator { () -> Observable<Element>? in
      guard let page = upcoming.take() else { return nil }
      defer { isFirst = false }
      // On the trampoline, so that pages which are there at once can be disposed between one and the next.
      return single(page, isFirst, request).asObservable()
        .do(afterNext: { element in
          upcoming = try next(element)
          if isDone(element) { cursor?.move(to: upcoming) }
        })
        .subscribe(on: CurrentThreadScheduler.instance)
    }
    return Observable.concat(AnySequence { pages })
  }
}

private func single<Page, Element>(
  _ page: Page, _ isFirst: Bool, _ request: (Page, Bool) throws -> Single<Element>
) -> Single<Element> {
  do {
    return try request(page, isFirst)
  } catch {
    return .error(error)
  }
}
