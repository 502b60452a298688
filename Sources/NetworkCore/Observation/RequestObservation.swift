internal import Foundation
internal import ReactiveNetworkLock

/// Delivers the events of one request to its observers.
///
/// The provider passes it to the transport in ``TransportRequest/observer``. The transport reports each
/// ``TransportEvent``, and the provider reports the other events. Without a provider, create an observation
/// to observe a single transfer:
///
/// ```swift
/// var request = TransportRequest(url: "http://127.0.0.1:8080/")
/// request.observer = RequestObservation { print($0) }
/// ```
public final class RequestObservation: Sendable {
  /// An event and its handler, and what follows the end.
  fileprivate typealias Delivery = (RequestEvent, @Sendable (RequestEvent) -> Void, (@Sendable () -> Void)?)

  fileprivate struct State {
    var handler: (@Sendable (RequestEvent) -> Void)?
    /// What follows the end, for the thread that delivers it.
    var afterEnd: (@Sendable () -> Void)?
    var outbox = Outbox<RequestEvent>()
    var hasEnded = false
    var latest: ContinuousClock.Instant?
    var call: RequestEvent.Call?
    var reportedEvents = ReportedEvents()
  }

  /// The events already reported for an attempt, and the length that its head announced.
  fileprivate struct ReportedEvents {
    var isSent = false
    var hasFirstByte = false
    var received: Int64 = 0
    var expected: Int64?
    var head: ResponseHead?
    var metrics: TransferMetrics?
  }

  /// The identifier of the request.
  public let id = RequestID()
  private let state: Lock<State>

  /// Creates the observation of a request.
  ///
  /// - Parameter handler: receives the events, one at a time.
  @preconcurrency public init(_ handler: @escaping @Sendable (RequestEvent) -> Void) {
    state = Lock(State(handler: handler))
  }

  /// Reports an event of the provider, and delivers it unless another thread is delivering.
  package func report(kind: RequestEvent.Kind, at time: ContinuousClock.Instant = .now) {
    if note(kind: kind, at: time) { deliver() }
  }

  private func note(kind: RequestEvent.Kind, at time: ContinuousClock.Instant) -> Bool {
    state.withLock { $0.add(kind, at: time, of: id) }
  }

  private func deliver(_ first: Delivery?) {
    var next = first
    while let (event, handler, afterEnd) = next {
      handler(event)
      afterEnd?()
      next = state.withLock { $0.delivery($0.outbox.next()) }
    }
  }
}

extension RequestObservation: TransferObserver {
  /// Adds an event of the transport without delivering it.
  ///
  /// A second `requestSent` or `firstByte` of an attempt is ignored, and so is any event after `ended`.
  ///
  /// - Parameters:
  ///   - event: what happened.
  ///   - time: when it happened; a time before that of the previous event is replaced by that.
  /// - Returns: whether the event must be delivered; `false` if it is ignored.
  public func note(_ event: TransportEvent, at time: ContinuousClock.Instant) -> Bool {
    note(kind: RequestEvent.Kind(event), at: time)
  }

  /// Delivers the pending events, unless another thread is delivering.
  public func deliver() {
    deliver(state.withLock { $0.delivery($0.outbox.start()) })
  }

  /// Returns the observation of a second copy of a slow attempt, which is a request of its own to observers.
  ///
  /// - Parameter copy: the request that is about to be sent.
  /// - Returns: the observation; `nil` after the end of the request.
  public func observer(ofCopy copy: TransportRequest) -> (any TransferObserver)? {
    let (handler, call) = state.withLock { ($0.handler, $0.call) }
    guard let handler else { return nil }
    let hedge = RequestObservation(handler)
    let cause = RequestEvent.Cause.hedge(of: id)
    hedge.report(
      kind: .queued(.init(target: call?.target, method: copy.method, url: copy.url, cause: cause)))
    hedge.report(kind: .started(method: copy.method, url: copy.url))
    return hedge
  }

  /// Reports an event of a transfer whose end is that of the request.
  ///
  /// - Parameter event: the event.
  public func receive(_ event: TransferEvent) {
    report(event)
    guard case .finished(let error) = event else { return }
    let reported = state.withLock { $0.reportedEvents }
    let outcome: RequestEvent.Outcome =
      switch error {
      case .cancelled: .cancelled
      case .some(let error):
        .failure(
          .underlying(
            error,
            reported.head.map { Response(head: $0, data: Data(), request: nil, metrics: reported.metrics) }))
      case nil: .response(statusCode: reported.head?.statusCode ?? 0)
      }
    report(kind: .ended(outcome, reported.metrics))
  }
}

extension RequestEvent.Kind {
  init(_ event: TransportEvent) {
    self =
      switch event {
      case .connecting: .connecting
      case .connected(let connection): .connected(connection)
      case .requestSent: .requestSent
      case .firstByte: .firstByte
      case .redirected(let url, let statusCode): .redirected(to: url, statusCode: statusCode)
      }
  }
}

extension RequestObservation.State {
  /// Adds an event; returns `false` if it is ignored.
  mutating func add(_ kind: RequestEvent.Kind, at time: ContinuousClock.Instant, of id: RequestID) -> Bool {
    guard !hasEnded, reportedEvents.record(kind) else { return false }
    switch kind {
    case .queued(let call): self.call = call
    case .ended: hasEnded = true
    default: break
    }
    let time = max(time, latest ?? time)
    latest = time
    outbox.append(RequestEvent(id: id, time: time, kind: kind))
    return true
  }

  /// Returns the handler for an event, which is the last one if it is the end, and what follows the end.
  mutating func delivery(_ event: RequestEvent?) -> RequestObservation.Delivery? {
    guard let event, let handler else { return nil }
    guard case .ended = event.kind else { return (event, handler, nil) }
    // A token that outlives the request must not keep the observer alive.
    self.handler = nil
    return (event, handler, afterEnd.take())
  }
}

extension RequestObservation.ReportedEvents {
  /// Records an event; returns `false` if it has been reported already.
  mutating func record(_ kind: RequestEvent.Kind) -> Bool {
    switch kind {
    case .started, .redirected: self = .init()
    case .connected: (isSent, hasFirstByte) = (false, false)
    case .requestSent: return !exchange(&isSent, with: true)
    case .firstByte: return !exchange(&hasFirstByte, with: true)
    default: break
    }
    return true
  }
}

// Called by the provider.
extension RequestObservation {
  /// Reports the request event that corresponds to an event of the transfer.
  func report(_ event: TransferEvent) {
    switch event {
    case .sent(let count, let length): report(kind: .bodySent(count, of: length))
    case .head(var head):
      let length = head.headers.contentCoding == nil ? head.headers.contentLength : nil
      // The transfer retains its observer, which is this object.
      head.transfer = nil
      state.withLock { [head] state in
        state.reportedEvents.expected = length
        state.reportedEvents.head = head
      }
      report(kind: .firstByte)
    case .body(let piece):
      let (count, length) = state.withLock { state in
        state.reportedEvents.received += Int64(piece.count)
        return (state.reportedEvents.received, state.reportedEvents.expected)
      }
      report(kind: .bodyReceived(count, of: length))
    case .metrics(let metrics): state.withLock { $0.reportedEvents.metrics = metrics }
    case .finished: break
    }
  }

  /// Reports that an attempt is passed to the transport, and observes it.
  func observe(_ outgoing: inout TransportRequest) {
    outgoing.observer = self
    report(kind: .started(method: outgoing.method, url: outgoing.url))
  }

  /// Reports the end of the request.
  ///
  /// - Parameters:
  ///   - result: the result.
  ///   - later: called after the end has been delivered, if another thread delivers it, or this one further up the
  ///     stack: an observer is still handling an earlier event.
  /// - Returns: whether `later` will be called.
  @discardableResult func end(
    _ result: Result<Response, NetworkError>, orElse later: (@Sendable () -> Void)? = nil
  ) -> Bool {
    let (delivery, isLate) = state.withLock { state -> (Delivery?, Bool) in
      let kind = RequestEvent.Kind.ended(RequestEvent.Outcome(result), state.reportedEvents.metrics)
      guard state.add(kind, at: .now, of: id) else { return (nil, false) }
      let delivery = state.delivery(state.outbox.start())
      if delivery == nil { state.afterEnd = later }
      return (delivery, delivery == nil)
    }
    deliver(delivery)
    return isLate
  }
}

extension RequestObservation: Hashable {
  /// Returns whether both are the same observation.
  public static func == (first: RequestObservation, second: RequestObservation) -> Bool { first === second }

  /// Hashes the identifier of the request.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
