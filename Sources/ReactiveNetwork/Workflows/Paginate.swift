public import Dispatch
internal import struct Foundation.URL
public import NetworkCore
public import RxLite

extension PrimitiveSequence where Trait == SingleTrait {
  /// Concatenates this single with the next one, which a closure creates from each element, until there is
  /// none.
  ///
  /// The next single is requested after an element has been delivered, so `take(2)` requests no third page.
  ///
  /// If a further page sends a request of `provider.rx` to another origin (scheme, host or port) than the
  /// first page did, the request is not sent, and the sequence fails with
  /// ``PaginationError/otherOrigin(_:first:)``. Otherwise, a server that names the next page would receive
  /// what the provider's plugins add, such as a token. The rule holds on any thread. It also applies to a
  /// shared sequence (`share`, `cached`) that a page starts, for all its subscribers. A further page cannot
  /// start `refCount()` of a connectable sequence of your own; it fails with
  /// ``PaginationError/uncheckedRequests``. The rule does not apply to the requests of subscriptions that a
  /// page's closures make, to the refresh of `refreshingToken(with:)`, or to requests of other libraries.
  ///
  /// If the first page has not sent a request, because a cache had its element, the origin is that of the
  /// `Response`. If the element is something else, requests of further pages fail with
  /// ``PaginationError/unknownFirstOrigin(_:)``.
  ///
  /// - Parameters:
  ///   - cursor: where a subscription begins; it remembers how far the subscription came, so that the next
  ///     one continues there. `nil` if each subscription begins with this single.
  ///   - allowsOtherOrigins: whether pages may send requests, including credentials, to other origins than
  ///     the first page.
  ///   - next: returns the next single for an element, `nil` after the last; an error that it throws ends the
  ///     sequence.
  /// - Returns: the sequence of elements.
  @preconcurrency public func paginate(
    from cursor: PageCursor<Single<Element>>? = nil, allowsOtherOrigins: Bool = false,
    next: @escaping @Sendable (Element) throws -> Single<Element>?
  ) -> Observable<Element> {
    guard !allowsOtherOrigins else {
      return pages(of: self, from: cursor, request: { page, _ in page }, isDone: isWhole, next: next)
    }
    return Observable.deferring {
      let origins = cursor?.origins ?? FirstPageOrigins()
      if cursor?.page == nil { origins.reset() }
      let request = { (page: Single<Element>, _: Bool) in
        page.asObservable().withContext { SubscriptionContext(origins, within: $0) }.asSingle()
          .do(onSuccess: { origins.complete(with: $0) })
      }
      return pages(of: self, from: cursor, request: request, isDone: isWhole, next: next)
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
  /// The next page is requested after the previous one has been delivered. Disposing stops the current
  /// transfer on the wire.
  ///
  /// With a cursor, a subscription continues where the previous one failed or was disposed, and so does each
  /// attempt of `retry`. A response with a status other than 200 to 299 is delivered, but does not move the
  /// cursor, so its page is requested again:
  ///
  /// ```swift
  /// let cursor = PageCursor<GitHub>()
  /// let pages = provider.rx.paginate(.issues(page: 1), from: cursor) { $0.links["next"].map { .page($0) } }
  /// let issues = pages.filterSuccessfulStatusCodes().retry(backoff: .exponential())
  /// ```
  ///
  /// A page with another origin (scheme, host or port) than the first one is not requested, because a server
  /// that names it would receive what the provider's plugins add, such as a token. The sequence then fails
  /// with ``PaginationError/otherOrigin(_:first:)``. This includes a page whose URL is relative to the
  /// destination of a redirect of the first page. The origins are those of the endpoints that the provider
  /// creates from the targets.
  ///
  /// - Parameters:
  ///   - first: the first page.
  ///   - cursor: where a subscription begins; it remembers how far the subscription came. `nil` if each
  ///     subscription begins with the first page.
  ///   - callbackQueue: the queue on which the responses are delivered; as with `request(_:callbackQueue:)`.
  ///   - allowsOtherOrigins: whether pages of other origins are requested, including credentials.
  ///   - next: returns the target of the next page for a response, `nil` after the last; `Response.links` has
  ///     the server's links to it. An error that it throws ends the sequence.
  /// - Returns: the sequence of responses.
  @preconcurrency public func paginate(
    _ first: Base.Target, from cursor: PageCursor<Base.Target>? = nil, callbackQueue: DispatchQueue? = nil,
    allowsOtherOrigins: Bool = false, next: @escaping @Sendable (Response) throws -> Base.Target?
  ) -> Observable<Response> {
    let request = { (target: Base.Target, isFirst: Bool) throws -> Single<Response> in
      if !isFirst, !allowsOtherOrigins {
        let (origin, expected) = (self.origin(of: target), self.origin(of: first))
        guard origin == expected else { throw PaginationError.otherOrigin(origin, first: expected) }
      }
      return self.request(target, callbackQueue: callbackQueue)
    }
    // A filter of the status comes later in the chain; after its error, a retry must request the same page
    // again.
    let isDone = { (response: Response) in 200..<300 ~= response.statusCode }
    return pages(of: first, from: cursor, request: request, isDone: isDone, next: next)
  }

  /// Returns the origin of a target's request.
  func origin(of target: Base.Target) -> String { origin(of: target, base.endpoint(target)) }

  /// Returns the origin of a target's request, whose endpoint is known.
  func origin(of target: Base.Target, _ endpoint: Endpoint) -> String {
    Origin.text(of: URL(string: endpoint.url) ?? URL(target: target))
  }
}

/// Requests page after page, each one after the previous one has been delivered.
private func pages<Page, Element>(
  of first: Page, from cursor: PageCursor<Page>?,
  request: @escaping (_ page: Page, _ isFirst: Bool) throws -> Single<Element>,
  isDone: @escaping (Element) -> Bool, next: @escaping (Element) throws -> Page?
) -> Observable<Element> {
  Observable.deferring {
    let state = PaginationState(first, cursor, isDone: isDone, next: next)
    let pages = AnyIterator { () -> Observable<Element>? in
      guard let page = state.upcoming.take() else { return nil }
      defer { state.isFirst = false }
      // On the trampoline, so that the sequence can be disposed between pages that arrive synchronously.
      return single(page, state.isFirst, request).asObservable()
        .do(afterNext: { try state.move(after: $0) })
        .subscribe(on: CurrentThreadScheduler.instance)
    }
    return Observable.concat(AnySequence { pages })
  }
}

/// The position of a subscription in its pages.
///
/// `@unchecked Sendable` because the pages of a subscription never overlap, so one thread at a time uses it.
private final class PaginationState<Page, Element>: @unchecked Sendable {
  var upcoming: Page?
  var isFirst: Bool
  private let cursor: PageCursor<Page>?
  private let isDone: (Element) -> Bool
  private let next: (Element) throws -> Page?

  init(
    _ first: Page, _ cursor: PageCursor<Page>?, isDone: @escaping (Element) -> Bool,
    next: @escaping (Element) throws -> Page?
  ) {
    self.cursor = cursor
    self.isDone = isDone
    self.next = next
    let page = cursor?.page
    upcoming = page ?? first
    isFirst = page == nil
  }

  /// Advances to the page after a delivered element.
  func move(after element: Element) throws {
    upcoming = try next(element)
    if isDone(element) { cursor?.move(to: upcoming) }
  }
}

/// Whether an element is no response with an error status, whose page a retry requests again.
private func isWhole(_ element: some Any) -> Bool { (element as? Response)?.failure == nil }

private func single<Page, Element>(
  _ page: Page, _ isFirst: Bool, _ request: (Page, Bool) throws -> Single<Element>
) -> Single<Element> {
  do {
    return try request(page, isFirst)
  } catch {
    return .error(error)
  }
}
