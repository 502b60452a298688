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
  fileprivate struct State {
    var handler: (@Sendable (RequestEvent) -> Void)?
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
    state.withLock { state in
      guard !state.hasEnded, state.reportedEvents.record(kind) else { return false }
      switch kind {
      case .queued(let call): state.call = call
      case .ended: state.hasEnded = true
      default: break
      }
      let time = max(time, state.latest ?? time)
      state.latest = time
      state.outbox.append(RequestEvent(id: id, time: time, kind: kind))
      return true
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
    var next = state.withLock { $0.delivery($0.outbox.start()) }
    while let (event, handler) = next {
      handler(event)
      next = state.withLock { $0.delivery($0.outbox.next()) }
    }
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
  /// Returns the handler for an event, which is the last one if it is the end.
  mutating func delivery(_ event: RequestEvent?) -> (RequestEvent, @Sendable (RequestEvent) -> Void)? {
    guard let event, let handler else { return nil }
    // A token that outlives the request must not keep the observer alive.
    if case .ended = event.kind { self.handler = nil }
    return (event, handler)
  }
}

extension RequestObservation.ReportedEvents {
  /// Records an event; returns `false` if it has been reported already.
  mutating func record(_ kind: RequestEvent.Kind) -> Bool {
    switch kind {
    case .started, .redirected: self = .init()
    case .connected: (isSent, hasFirstByte) = (false, false)
    case .requestSent:
      defer { isSent = true }
      return !isSent
    case .firstByte:
      defer { hasFirstByte = true }
      return !hasFirstByte
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
    case .head(let head):
      let length = head.headers.contentCoding == nil ? head.headers.contentLength : nil
      state.withLock { state in
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
  func end(_ result: Result<Response, NetworkError>) {
    report(kind: .ended(RequestEvent.Outcome(result), state.withLock { $0.reportedEvents.metrics }))
  }
}

extension RequestObservation: Hashable {
  /// Returns whether both are the same observation.
  public static func == (first: RequestObservation, second: RequestObservation) -> Bool { first === second }

  /// Hashes the identifier of the request.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
