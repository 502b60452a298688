internal import NetworkCoreTransport
internal import ReactiveNetworkLock

/// Records the names of a transfer's transport events.
final class EventRecorder: TransferObserver {
  private let recorded = Lock([String]())

  var names: [String] { recorded.withLock { $0 } }

  func note(_ event: TransportEvent, at time: ContinuousClock.Instant) -> Bool {
    recorded.withLock { $0.append(event.text.caseName) }
    return true
  }

  func deliver() {}
}
