internal import Foundation
internal import Locking

/// A transfer of a `CachingTransport`.
///
/// Its events are serialised: they come from the underlying transfer or from the cache, and the cache
/// delivers only after the last event of the underlying transfer.
final class CachingTransfer: CompositeTransfer {
  private let request: TransportRequest
  let sequence: TransferSequence
  /// The caller keeps the transport; a transport that is released ends its transfers.
  private let owner: WeakOwner
  private let receipt = Lock(CacheResponseHandler())

  init(
    _ request: TransportRequest, _ handler: @escaping @Sendable (TransferEvent) -> Void,
    owner: CachingTransport
  ) {
    var request = request
    // Answers may depend on fields that are added below (`Vary`), and a cache in files outlives their values.
    for field in owner.transport.defaultHeaders where request.headers[field.name] == nil {
      request.headers.add(field)
    }
    // A URL that is not to be asked is refused below.
    _ = request.admit()
    self.request = request
    sequence = TransferSequence(handler)
    self.owner = WeakOwner(owner)
  }

  /// Chooses a plan from the responses in memory or, if they are not enough, from those in files.
  func begin(_ owner: CachingTransport) {
    let url = request.url.withoutFragment
    let isStoring = request.method == .get || request.method == .head
    let stored = isStoring ? owner.cache.answers(for: url) : []
    let plan = plan(stored, owner)
    switch plan {
    case .use(let answer): owner.cache.noteUse(of: answer)
    case .ask, .fail:
      let isReading = owner.cache.read(url, beside: stored) { [self] stored in
        guard let owner = self.owner.object, !isCancelled else { return sequence.finish(.cancelled) }
        carryOut(self.plan(stored, owner), owner)
      }
      if isReading { return }
    case .pass: break
    }
    carryOut(plan, owner)
  }

  private func plan(_ stored: [StoredResponse], _ owner: CachingTransport) -> CacheDecision {
    CacheDecision(
      request, stored: stored, now: owner.clock().timeIntervalSince1970,
      additions: RequestAdditions(of: owner.transport, to: request))
  }

  private func carryOut(_ plan: CacheDecision, _ owner: CachingTransport) {
    let now = owner.clock().timeIntervalSince1970
    switch plan {
    case .pass: send(request, CacheResponseHandler(), owner)
    case .ask(let request, let answer):
      let limit = owner.cache.bodyLimit
      let additions = RequestAdditions(of: owner.transport, to: request)
      send(
        request, CacheResponseHandler(about: answer, limit: limit, requestTime: now, additions: additions),
        owner)
    case .use(let answer):
      let age = Freshness(answer).age(at: now)
      owner.cache.callbacks.call { [self] in give(answer, age: age) }
    case .fail: owner.cache.callbacks.call { [self] in sequence.finish(.notStored(url: request.url)) }
    }
  }

  private func send(_ request: TransportRequest, _ receipt: CacheResponseHandler, _ owner: CachingTransport) {
    self.receipt.withLock { $0 = receipt }
    sequence.start(request, over: owner.transport) { self.receive($0) }
  }

  private func receive(_ event: TransferEvent) {
    switch event {
    case .head(let head):
      let now = owner.object?.clock().timeIntervalSince1970 ?? 0
      let isShown = receipt.withLock { $0.receive(head, for: request, now: now) }
      if !request.method.isSafe, (200..<400).contains(head.statusCode) { forget(head) }
      if isShown { sequence.deliver(event) }
    case .body(let piece):
      if receipt.withLock({ $0.receive(piece) }) { sequence.deliver(event) }
    case .sent, .metrics: sequence.deliver(event)
    case .finished(let error): end(error)
    }
  }

  private func end(_ error: TransferError?) {
    guard let owner = owner.object, !isCancelled else { return sequence.finish(error) }
    let now = owner.clock().timeIntervalSince1970
    switch receipt.withLock({ $0.end(error, for: request, now: now) }) {
    case .finish(let answer, let replaced):
      if let answer { return owner.cache.insert(answer) { [sequence] in sequence.finish(error) } }
      if replaced { owner.cache.forget(request.url) }
      sequence.finish(error)
    case .give(let answer, let isNew):
      if isNew {
        // The fields of the 304 may forbid storing.
        if answer.isStorable { owner.cache.insert(answer) } else { owner.cache.forget(answer.url) }
      }
      give(answer, age: isNew ? nil : Freshness(answer).age(at: now))
    case .askAgain:
      let limit = owner.cache.bodyLimit
      let additions = RequestAdditions(of: owner.transport, to: request)
      send(request, CacheResponseHandler(limit: limit, requestTime: now, additions: additions), owner)
    }
  }

  /// Removes the responses that a change on the server has invalidated (RFC 9111, section 4.4).
  private func forget(_ head: ResponseHead) {
    guard let owner = owner.object else { return }
    let base = URL(string: request.url)
    let others = ["Location", "Content-Location"].compactMap { name in
      head.headers[name].flatMap { URL(string: $0, relativeTo: base)?.absoluteString }
    }.filter { Origin(url: $0) == Origin(url: request.url) }
    for url in [request.url] + others { owner.cache.forget(url) }
  }

  private func give(_ answer: StoredResponse, age: TimeInterval?) {
    if let limit = request.responseBodyLimit, answer.body.count > limit {
      return sequence.finish(.responseTooLarge(limit: limit))
    }
    sequence.deliver(.head(answer.head(age: age)))
    if request.method != .head, !answer.body.isEmpty { sequence.deliver(.body(answer.body)) }
    sequence.finish(nil)
  }
}

/// Sendable because the reference is only read.
private final class WeakOwner: @unchecked Sendable {
  private(set) weak var object: CachingTransport?

  init(_ object: CachingTransport) {
    self.object = object
  }
}
