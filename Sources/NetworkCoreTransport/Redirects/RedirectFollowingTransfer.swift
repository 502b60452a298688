internal import Dispatch
internal import Foundation
internal import ReactiveNetworkLock

/// Follows redirects, for every transport: a sequence of transfers of one that reports redirects as responses.
///
/// Its events are serialised: they come from the current underlying transfer or, once that has ended, from
/// the decision about its redirect.
package final class RedirectFollowingTransfer: CompositeTransfer {
  private struct State {
    /// Carries the requests; `nil` after the end.
    var transport: (any Transport)?
    var request: TransportRequest
    /// The first request; `nil` until a redirect has replaced it.
    var original: TransportRequest?
    var redirects = 0
    /// Whether a server has sent a redirect, and not only a cache.
    var hasReachedServer = false
    /// The number of bytes of the body of the current response.
    var received = 0
    /// The greatest count that has been reported as sent.
    var sent: Int64 = 0
    /// The redirect that has arrived or is arriving.
    var redirect: Redirect?
    /// Whether the decision about that redirect is pending.
    var isDecisionPending = false
    /// Whether the URL of the request is that of a redirect.
    var isServersURL = false
  }

  private struct Redirect {
    let head: ResponseHead
    var body = Data()
    var metrics: TransferMetrics?
    /// Why the body is not whole; matters only if the redirect is the response.
    var truncation: TransferError?
  }

  private let policy: RedirectPolicy
  private let isWithinTransport: Bool
  /// The time of the first request, in nanoseconds of `DispatchTime`.
  private let start = DispatchTime.now().uptimeNanoseconds
  package let sequence: TransferSequence
  private let state: Lock<State>

  private init(
    _ request: TransportRequest, over transport: any Transport, isWithinTransport: Bool,
    _ policy: RedirectPolicy, handler: @escaping @Sendable (TransferEvent) -> Void
  ) {
    self.policy = policy
    self.isWithinTransport = isWithinTransport
    sequence = TransferSequence(handler)
    state = Lock(State(transport: transport, request: request))
  }

  /// Starts a transfer whose redirects are followed as a policy says.
  ///
  /// - Parameters:
  ///   - request: the request to send.
  ///   - transport: a transport that does not follow redirects by itself.
  ///   - isWithinTransport: whether `transport` is a part of the caller's transport, so that it reports every end,
  ///     and is asked to discard the bodies of redirects.
  ///   - policy: decides about redirects.
  ///   - handler: receives the events.
  /// - Returns: the token of the transfer.
  package static func start(
    _ request: TransportRequest, over transport: any Transport, isWithinTransport: Bool,
    _ policy: RedirectPolicy, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    guard policy.follows else { return transport.start(request, handler: handler) }
    let transfer = RedirectFollowingTransfer(
      request, over: transport, isWithinTransport: isWithinTransport, policy, handler: handler)
    transfer.send()
    return transport.pausesTransfers ? transfer : UnpausableTransfer(transfer: transfer)
  }

  package func cancel() {
    sequence.cancel()
    // While the decision is pending, no underlying transfer exists that could end.
    if takeDecision() { TransferSequence.callbacks.call { self.end(.cancelled) } }
  }

  /// Sends the current request.
  private func send() {
    var (transport, outgoing, redirects, hasReachedServer) = state.withLock { state in
      (state.transport, state.request, state.redirects, state.hasReachedServer)
    }
    guard let transport else { return }
    // The transport takes a redirect for a response, but the caller's limit is not that of a redirect.
    outgoing.responseBodyLimit = outgoing.responseBodyLimit.map { max($0, RedirectPolicy.bodyLimit) }
    if policy.decision == nil {
      // A cache below would store a body without its bytes.
      outgoing.ignoresRedirectBodies = isWithinTransport
    } else {
      // The thread that carries the transfers must not wait for the decision.
      outgoing.deliversOnLoop = false
    }
    if redirects > 0 {
      if hasReachedServer { outgoing.firstStart = start }
      outgoing.needsNewConnection = false
    }
    sequence.start(outgoing, over: transport, reportsEveryEnd: isWithinTransport) { self.receive($0) }
  }

  private func receive(_ event: TransferEvent) {
    switch event {
    case .head(let head) where head.isRedirect:
      state.withLock { state in
        state.redirect = Redirect(head: head)
        if !head.isStored { state.hasReachedServer = true }
      }
    case .body(let piece):
      let (isHeld, excess): (Bool, TransferError?) = state.withLock { state in
        state.received += piece.count
        guard state.redirect != nil else {
          let limit = state.request.responseBodyLimit ?? .max
          return (false, state.received > limit ? .responseTooLarge(limit: limit) : nil)
        }
        if policy.decision != nil { state.redirect?.body.append(piece) }
        return (true, state.received > RedirectPolicy.bodyLimit ? RedirectPolicy.bodyTooLong : nil)
      }
      if let excess {
        end { sequence.abort(excess) }
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
      receiveEnd(error)
    case .head: sequence.deliver(event)
    }
  }

  private func receiveEnd(_ error: TransferError?) {
    let (redirect, redirects, isServersURL) = state.withLock { state in
      if case .truncatedBody? = error { state.redirect?.truncation = error }
      return (state.redirect, state.redirects, state.isServersURL)
    }
    if let redirect, !sequence.isOver, error == redirect.truncation { return decide(about: redirect) }
    let error = redirects == 0 ? error : isServersURL ? error?.ofServersURL : error?.withoutProof
    // The redirect itself counts as no response, whose limit is the caller's.
    if redirect != nil, case .responseTooLarge? = error { return end(RedirectPolicy.bodyTooLong) }
    end(error)
  }

  private func decide(about redirect: Redirect) {
    var (current, original, redirects) = state.withLock { state in
      state.isDecisionPending = true
      return (state.request, state.original ?? state.request, state.redirects)
    }
    // Its URL has been sent in its ASCII form, with which the target's origin is compared.
    _ = current.normalizeAndValidate()
    // A cancellation just before this point found neither a transfer nor a pending decision to end.
    if sequence.isCancelled {
      if takeDecision() { end(.cancelled) }
      return
    }
    // Its release delivers the redirect, so it has to outlive the delivery of an error that the decision throws.
    var undecided: FallbackCompletion<TransportRequest?>?
    defer { withExtendedLifetime(undecided) {} }
    do throws(TransferError) {
      let proposed = try current.redirected(
        status: redirect.head.statusCode, to: redirect.head.redirectTarget ?? "", after: redirects,
        policy: policy)
      guard let decision = policy.decision else {
        return proceed(with: proposed, isServersURL: true, redirectNumber: redirects, fallback: redirect)
      }
      let pending = FallbackCompletion(orElse: nil) { [redirects] (choice: TransportRequest?) in
        var next = choice
        _ = next?.normalizeAndValidate()
        self.proceed(
          with: next?.withoutCredentials(of: proposed), isServersURL: next?.url == proposed.url,
          redirectNumber: redirects, fallback: redirect)
      }
      undecided = pending
      try decision(
        Redirection(original: original, current: current, proposed: proposed, head: redirect.head)
      ) { pending($0) }
    } catch {
      if takeDecision() { end(error) }
    }
  }

  /// Ends the wait for a decision; returns `false` if none is pending.
  private func takeDecision() -> Bool {
    state.withLock { exchange(&$0.isDecisionPending, with: false) }
  }

  private func proceed(
    with next: TransportRequest?, isServersURL: Bool, redirectNumber: Int, fallback redirect: Redirect
  ) {
    let request: TransportRequest? = state.withLock { state in
      guard state.isDecisionPending, state.redirects == redirectNumber else { return nil }
      state.isDecisionPending = false
      state.redirects += 1
      state.received = 0
      state.isServersURL = isServersURL
      if next != nil { state.redirect = nil }
      let current = state.request
      if state.original == nil { state.original = current }
      if let next { state.request = next }
      return current
    }
    // Not released under the lock.
    guard let request else { return }
    if let next {
      observe(.redirected(to: next.url, statusCode: redirect.head.statusCode), of: next)
      return send()
    }
    if let limit = request.responseBodyLimit, redirect.body.count > limit {
      return end(.responseTooLarge(limit: limit))
    }
    sequence.deliver(.head(redirect.head))
    end(redirect.truncation, after: redirect.body)
  }

  private func observe(_ event: TransportEvent, of request: TransportRequest) {
    guard let observer = request.observer, observer.note(event, at: .now) else { return }
    if request.deliversOnLoop, policy.decision == nil {
      TransferSequence.callbacks.call { observer.deliver() }
    } else {
      observer.deliver()
    }
  }

  private func end(_ error: TransferError?, after body: Data = Data()) {
    let metrics = state.withLock { $0.redirect?.metrics }
    end { sequence.finish(error, after: body, metrics: metrics) }
  }

  /// Releases what a token that the caller keeps must not keep alive, and delivers the end.
  private func end(delivering deliver: () -> Void) {
    let spent = state.withLock { state in
      defer {
        (state.transport, state.original, state.redirect) = (nil, nil, nil)
        state.request.body = .none
      }
      return state
    }
    withExtendedLifetime(spent) {}
    deliver()
  }
}

/// The token of a transfer over a transport that cannot pause.
private struct UnpausableTransfer: Cancellable {
  let transfer: RedirectFollowingTransfer

  var isCancelled: Bool { transfer.isCancelled }
  func cancel() { transfer.cancel() }
}

extension TransferError {
  /// The error of a request whose URL is that of a redirect.
  fileprivate var ofServersURL: TransferError {
    guard case .unsupportedURL(let url) = self else { return withoutProof }
    return .redirectRefused(url: url, reason: "it is not a valid URL")
  }
}
