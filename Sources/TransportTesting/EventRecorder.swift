internal import NetworkCoreTransport
internal import ReactiveNetworkLock

/// Records the names of a transfer's transport events.
final class EventRecorder: TransferObserver {
  private let recorded = Lock([String]())

  var names: [String] { recorded.withLock { $0 } }

  func note(_ event: TransportEvent, at time: ContinuousClock.Instant) -> Bool {
    let name =
      switch event {
      case .connecting: "connecting"
      case .connected: "connected"
      case .requestSent: "requestSent"
      case .firstByte: "firstByte"
      case .redirected: "redirected"
      }
    recorded.withLock { $0.append(name) }
    return true
  }

  func deliver() {}
}
