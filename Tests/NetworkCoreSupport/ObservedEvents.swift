import ReactiveNetworkLock
import NetworkCore

/// Records the events of requests, as a plugin or as a closure.
final class ObservedEvents: RequestObserver {
  private let events = Lock([RequestEvent]())

  var all: [RequestEvent] { events.withLock { $0 } }

  /// The names of the events, without the progress of bodies.
  var names: [String] { all.compactMap(\.name) }

  /// The first connection.
  var connection: RequestEvent.Connection? { connections.first }

  var connections: [RequestEvent.Connection] {
    all.compactMap { if case .connected(let connection) = $0.kind { connection } else { nil } }
  }

  /// The causes of the requests, in order.
  var causes: [RequestEvent.Cause] {
    all.compactMap { if case .queued(let call) = $0.kind { call.cause } else { nil } }
  }

  /// The outcome of the first request that has ended.
  var end: (outcome: RequestEvent.Outcome, metrics: TransferMetrics?)? {
    for event in all { if case .ended(let outcome, let metrics) = event.kind { return (outcome, metrics) } }
    return nil
  }

  func didObserve(_ event: RequestEvent) { events.withLock { $0.append(event) } }
}

extension RequestEvent {
  /// The name that a test compares; `nil` for the progress of a body.
  var name: String? {
    switch kind {
    case .queued: "queued"
    case .started: "started"
    case .connecting: "connecting"
    case .connected(let connection): connection.isReused ? "reused" : "connected"
    case .requestSent: "requestSent"
    case .firstByte: "firstByte"
    case .bodySent, .bodyReceived: nil
    case .redirected(_, let status): "redirected \(status)"
    case .retried(_, let delay): "retried \(delay / .seconds(1))"
    case .ended(.response(let status), _): "ended \(status)"
    case .ended(.failure, _): "failed"
    case .ended(.cancelled, _): "cancelled"
    }
  }

  var received: Int64? { if case .bodyReceived(let count, _) = kind { count } else { nil } }
  var sent: Int64? { if case .bodySent(let count, _) = kind { count } else { nil } }
}
