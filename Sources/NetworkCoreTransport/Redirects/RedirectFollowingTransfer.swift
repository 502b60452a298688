internal import Foundation
internal import ReactiveNetworkLock

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A transfer that consults a handler about redirects: a sequence of transfers of one transport.
///
/// Its events are serialised: they come from the current underlying transfer or, once that has ended, from
/// the handler's decision.
package final class RedirectFollowingTransfer: CompositeTransfer {
  private struct State {
    var request: TransportRequest
    var redirects = 0
    /// The number of bytes of the body of the current response.
    var received = 0
    /// The greatest count that has been reported as sent.
    var sent: Int64 = 0
    /// The redirect that has arrived or is arriving.
    var redirect: Redirect?
    /// Whether the handler's decision about that redirect is pending.
    var isDecisionPending = false
  }

  private struct Redirect {
    let head: ResponseHead
    var body = Data()
    var metrics: TransferMetrics?
  }

  private let original: TransportRequest
  private let transport: any Transport
  private let redirectHandler: any RedirectHandler
  package let sequence: TransferSequence
  private let state: Lock<State>

  /// Creates a transfer; `transport` must not follow redirects by itself.
  package init(
    _ request: TransportRequest, over transport: any Transport, redirectHandler: any RedirectHandler,
    handler: @escaping @Sendable (TransferEvent) -> Void
  ) {
    original = request
    self.transport = transport
    self.redirectHandler = redirectHandler
    sequence = TransferSequence(handler)
    state = Lock(State(request: request))
  }

  package func cancel() {
    sequence.cancel()
    // While the handler's decision is pending, no underlying transfer exists that could end.
    if takeDecision() { sequence.finish(.cancelled) }
  }

  /// Sends the current request.
  package func send() {
    var outgoing = state.withLock { $0.request }
    // The transport takes a redirect for a response, but the caller's limit is not that of a redirect.
    outgoing.responseBodyLimit = outgoing.responseBodyLimit.map { max($0, RedirectPolicy.bodyLimit) }
    sequence.start(outgoing, over: transport) { self.receive($0) }
  }

  private func receive(_ event: TransferEvent) {
    switch event {
    case .head(let head) where head.isRedirect:
      state.withLock { $0.redirect = Redirect(head: head) }
    case .body(let piece):
      let (isHeld, isTooLong, limit) = state.withLock { state in
        state.received += piece.count
        state.redirect?.body.append(piece)
        let isHeld = state.redirect != nil
        let limit = isHeld ? RedirectPolicy.bodyLimit : original.responseBodyLimit ?? .max
        return (isHeld, state.received > limit, limit)
      }
      if isTooLong {
        sequence.abort(.responseTooLarge(limit: limit))
      } else if !isHeld {
        sequence.deliver(event)
      }
    case .metrics(var metrics):
      let isHeld = state.withLock { state in
        // The underlying transfer does not count redirects.
        metrics.redirects += state.redirects
        state.redirect?.metrics = metrics
        return state.redirect != nil
      }
      if !isHeld { sequence.deliver(.metrics(metrics)) }
    case .sent(let count, _):
      // Sending again after a redirect starts at zero; the reported count never decreases.
      let isMore = state.withLock { state in
        defer { state.sent = max(state.sent, count) }
        return count > state.sent
      }
      if isMore { sequence.deliver(event) }
    case .finished(let error):
      if error == nil, !sequence.isOver, let redirect = state.withLock({ $0.redirect }) {
        consultHandler(redirect)
      } else {
        sequence.finish(state.withLock { $0.redirects } == 0 ? error : error?.withoutProof)
      }
    case .head: sequence.deliver(event)
    }
  }

  private func consultHandler(_ redirect: Redirect) {
    let (request, redirectNumber) = state.withLock { state in
      state.isDecisionPending = true
      return (state.request, state.redirects)
    }
    // A cancellation just before this point found neither a transfer nor a pending decision to end.
    if sequence.isCancelled { return cancel() }
    do throws(TransferError) {
      let next = try request.redirected(
        status: redirect.head.statusCode, to: redirect.head.headers["Location"] ?? "", after: redirectNumber)
      guard let response = redirect.head.httpURLResponse else { throw .unsupportedURL(redirect.head.url) }
      let task = RedirectedTask(
        original: try original.handlerRequest(), current: try request.handlerRequest(), redirect: response)
      let shown = try next.handlerRequest()
      let pending = FallbackCompletion(orElse: nil) { (choice: URLRequest?) in
        self.proceed(
          with: choice.map { next.changed(from: shown, to: $0).withoutCredentials(of: next) },
          redirectNumber: redirectNumber,
          fallback: redirect)
      }
      redirectHandler.task(task, willBeRedirectedTo: shown, for: response) { pending($0) }
    } catch {
      if takeDecision() { sequence.finish(error) }
    }
  }

  /// Ends the wait for a decision; returns `false` if none is pending.
  private func takeDecision() -> Bool {
    state.withLock { state in
      defer { state.isDecisionPending = false }
      return state.isDecisionPending
    }
  }

  private func proceed(with next: TransportRequest?, redirectNumber: Int, fallback redirect: Redirect) {
    let isFirst = state.withLock { state in
      guard state.isDecisionPending, state.redirects == redirectNumber else { return false }
      state.isDecisionPending = false
      state.redirects += 1
      state.redirect = nil
      state.received = 0
      if let next { state.request = next }
      return true
    }
    guard isFirst else { return }
    if let next {
      next.observer?.report(.redirected(to: next.url, statusCode: redirect.head.statusCode))
      return send()
    }
    if let limit = original.responseBodyLimit, redirect.body.count > limit {
      return sequence.finish(.responseTooLarge(limit: limit))
    }
    sequence.deliver(.head(redirect.head))
    if !redirect.body.isEmpty { sequence.deliver(.body(redirect.body)) }
    if let metrics = redirect.metrics { sequence.deliver(.metrics(metrics)) }
    sequence.finish(nil)
  }
}

extension TransportRequest {
  /// The request as handlers see it: without a streamed body, and without credentials that only transports
  /// use.
  fileprivate func handlerRequest() throws(TransferError) -> URLRequest {
    var shown = self
    shown.credential = nil
    return try URLRequest(shown)
  }

  /// Returns the request with the handler's changes; unchanged parts stay as they were, including the order
  /// of the fields.
  fileprivate func changed(from shown: URLRequest, to choice: URLRequest) -> TransportRequest {
    var next = self
    if choice.url != shown.url { next.url = choice.url?.absoluteString ?? "" }
    if choice.httpMethod != shown.httpMethod {
      next.method = HTTPMethod(rawValue: choice.httpMethod ?? "GET")
    }
    if choice.allHTTPHeaderFields != shown.allHTTPHeaderFields {
      next.headers = HTTPHeaders(choice.allHTTPHeaderFields ?? [:])
    }
    if choice.httpBody != shown.httpBody {
      next.body = choice.httpBody.map { .data($0) } ?? .none
    } else if shown.httpBody == nil, next.method != method, !next.method.anticipatesContent {
      // The body of a file or a stream is not shown, so a handler that makes a GET of a POST cannot remove it.
      next.removeContent()
    }
    return next
  }
}
