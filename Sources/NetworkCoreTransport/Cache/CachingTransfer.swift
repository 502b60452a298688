internal import Foundation
internal import ReactiveNetworkLock
internal import Synchronization

/// A transfer of a `CachingTransport`.
///
/// Its events are serialised: they come from the underlying transfer or from the cache, and the cache
/// delivers only after the last event of the underlying transfer.
final class CachingTransfer: CompositeTransfer {
  private let request: TransportRequest
  let sequence: TransferSequence
  private let key: String
  /// A weak reference, because only the caller keeps the transport alive; releasing it ends its transfers.
  private let owner: WeakOwner
  // A transfer continues after the release if the underlying transport has another owner.
  private let cache: HTTPCache
  private let clock: @Sendable () -> Date
  private let responseHandler = Lock(CacheResponseHandler())
  /// The redirects of a request that may change something on the servers; `nil` for another one.
  private let redirects: RedirectRecorder?

  init(
    _ request: TransportRequest, _ handler: @escaping @Sendable (TransferEvent) -> Void,
    owner: CachingTransport
  ) {
    var request = request
    // Responses may depend (`Vary`) on fields that the underlying transport adds, and cached files outlive
    // the values of those fields.
    request.headers.addMissing(owner.wrapped.defaultHeaders)
    // The underlying transport refuses an invalid URL.
    _ = request.normalizeAndValidate()
    redirects = request.method.isSafe ? nil : RedirectRecorder(request.observer)
    if let redirects { request.observer = redirects }
    self.request = request
    key = request.url.cacheKey
    sequence = TransferSequence(handler)
    self.owner = WeakOwner(owner)
    cache = owner.cache
    clock = owner.clock
  }

  /// Decides about the request from the responses in memory or, if they are not enough, also from those in
  /// files.
  func begin(_ owner: CachingTransport) {
    let isStoring = request.method == .get || request.method == .head
    let stored = isStoring ? owner.cache.responses(for: key) : []
    let decision = decision(stored, owner)
    switch decision {
    case .use(let response), .useAndRevalidate(let response): owner.cache.noteUse(of: response)
    case .send, .fail, .bypass(isConditional: true):
      let isReading = owner.cache.read(key, otherThan: stored) { [self] stored in
        guard let owner = self.owner.object, !isCancelled else { return sequence.finish(.cancelled) }
        execute(self.decision(stored, owner), owner)
      }
      if isReading { return }
    case .bypass(isConditional: false): break
    }
    execute(decision, owner)
  }

  private func decision(_ stored: [StoredResponse], _ owner: CachingTransport) -> CacheDecision {
    let isUsable = owner.deliversRedirects.load(ordering: .relaxed)
    return CacheDecision(
      request, stored: isUsable ? stored : stored.filter { !$0.isRedirect },
      now: owner.clock().timeIntervalSince1970,
      added: owner.wrapped.addedCredentials(to: request))
  }

  private func execute(_ decision: CacheDecision, _ owner: CachingTransport) {
    let now = owner.clock().timeIntervalSince1970
    switch decision {
    case .bypass: send(request, CacheResponseHandler(), owner)
    case .send(let request, let response): send(request, revalidating: response, at: now, owner)
    case .use(let response): use(response, at: now, owner)
    case .useAndRevalidate(let response):
      revalidate(owner)
      use(response, at: now, owner)
    case .fail: owner.cache.callbacks.call { [self] in sequence.finish(.notStored(url: request.url)) }
    }
  }

  private func use(_ response: StoredResponse, at now: TimeInterval, _ owner: CachingTransport) {
    let age = Freshness(response).age(at: now)
    owner.cache.callbacks.call { [self] in deliver(response, age: age) }
  }

  /// Revalidates the stored response for later requests, unless that is in progress.
  private func revalidate(_ owner: CachingTransport) {
    let (cache, url) = (owner.cache, key)
    guard cache.beginRevalidation(of: url) else { return }
    var request = request
    request.cachePolicy = .revalidate
    // Nobody waits for the response.
    request.observer = nil
    request.hedgeDelay = nil
    request.firstStart = nil
    let handler: @Sendable (TransferEvent) -> Void = {
      if case .finished = $0 { cache.endRevalidation(of: url) }
    }
    CachingTransfer(request, handler, owner: owner).begin(owner)
  }

  /// Sends a request whose response may be stored.
  private func send(
    _ request: TransportRequest, revalidating stored: StoredResponse?, at now: TimeInterval,
    isRepetition: Bool = false, _ owner: CachingTransport
  ) {
    let added = owner.wrapped.addedCredentials(to: self.request)
    send(
      request,
      CacheResponseHandler(
        stored: stored, limit: owner.cache.bodyLimit, requestTime: now, added: added,
        removals: owner.cache.removals(for: key), isRepetition: isRepetition),
      owner)
  }

  private func send(
    _ request: TransportRequest, _ responseHandler: CacheResponseHandler, _ owner: CachingTransport
  ) {
    self.responseHandler.withLock { $0 = responseHandler }
    var request = request
    if request.cachePolicy == .reloadEverywhere {
      let others = CacheControl(request.headers).noStore ? ", no-store" : ""
      request.headers.update(name: "Cache-Control", value: "no-cache" + others)
      request.headers.update(name: "Pragma", value: "no-cache")
    }
    sequence.start(request, over: owner.wrapped) { self.receive($0) }
  }

  private func receive(_ event: TransferEvent) {
    switch event {
    case .head(let head):
      let now = clock().timeIntervalSince1970
      let isDelivered = responseHandler.withLock { $0.receive(head, for: request, now: now) }
      if head.isRedirect { owner.object?.deliversRedirects.store(true, ordering: .relaxed) }
      invalidateRedirected()
      if !request.method.isSafe, (200..<400).contains(head.statusCode) || head.url.cacheKey != key {
        invalidate(head)
      }
      if isDelivered { sequence.deliver(event) }
    case .body(let piece):
      if responseHandler.withLock({ $0.receive(piece) }) { sequence.deliver(event) }
    case .metrics(let metrics):
      if responseHandler.withLock({ $0.receive(metrics) }) { sequence.deliver(event) }
    case .sent: sequence.deliver(event)
    case .finished(let error): end(error)
    }
  }

  private func end(_ error: TransferError?) {
    if error != nil { invalidateRedirected() }
    if isCancelled { return sequence.finish(error) }
    let now = clock().timeIntervalSince1970
    let (end, stored, removals, isRepetition, metrics) = responseHandler.withLock {
      ($0.end(error, for: request, now: now), $0.stored, $0.removals, $0.isRepetition, $0.metrics)
    }
    switch end {
    case .finish(let response, let replaced):
      if let response {
        cache.insert(response, after: removals, updating: request.method == .head ? stored : nil)
      } else if replaced {
        cache.removeResponses(for: request.url, becauseOf: stored)
      }
      sequence.finish(isRepetition ? error?.withoutProof : error, metrics: metrics)
    case .deliver(let response, let isRevalidated):
      if isRevalidated {
        // The fields of the 304 may forbid storing.
        if let kept = responseHandler.withLock({ $0.storable(response) }) {
          cache.insert(kept, after: removals, updating: stored)
        } else {
          cache.removeResponses(for: response.url, becauseOf: stored)
        }
      }
      deliver(response, age: isRevalidated ? nil : Freshness(response).age(at: now), metrics)
    case .retry:
      guard let owner = owner.object else { return sequence.finish(.cancelled, metrics: metrics) }
      send(request, revalidating: nil, at: now, isRepetition: true, owner)
    }
  }

  /// Removes the responses that a change on the server has invalidated (RFC 9111, section 4.4).
  ///
  /// After redirects, all servers but the last have answered, and the last one may have got the change (307 and
  /// 308).
  private func invalidate(_ head: ResponseHead) {
    let responded = TransportRequest(url: head.url)
    let others = ["Location", "Content-Location"].compactMap { name in
      head.headers[name].flatMap { try? responded.target(of: $0) }
    }.filter { Origin(url: $0) == Origin(url: head.url) }
    removeResponses(for: [request.url, head.url] + others)
  }

  /// Removes the responses to the URLs of all redirects so far.
  private func invalidateRedirected() {
    guard let urls = redirects?.urls, !urls.isEmpty else { return }
    removeResponses(for: [request.url] + urls)
  }

  /// Removes the responses to URLs that a change concerns, also those that were requested without its user.
  private func removeResponses(for urls: [String]) {
    for url in Set(urls + urls.map(\.withoutUserInfo)) { cache.removeResponses(for: url) }
  }

  private func deliver(_ response: StoredResponse, age: TimeInterval?, _ metrics: TransferMetrics? = nil) {
    let body = request.method == .head ? Data() : response.body
    if let limit = request.responseBodyLimit, body.count > limit {
      return sequence.finish(.responseTooLarge(limit: limit), metrics: metrics)
    }
    sequence.deliver(.head(response.head(age: age, to: request.url.withoutFragment)))
    sequence.finish(nil, after: body, metrics: metrics)
  }
}

/// A weak reference to the transport; Sendable because it is only read.
private final class WeakOwner: @unchecked Sendable {
  private(set) weak var object: CachingTransport?

  init(_ object: CachingTransport) {
    self.object = object
  }
}
