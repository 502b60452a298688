internal import ReactiveNetworkLock

/// Records the URLs to which a request is redirected, and passes all events on to the caller's observer.
final class RedirectRecorder: TransferObserver {
  private let observer: (any TransferObserver)?
  private let recorded = Lock([String]())

  init(_ observer: (any TransferObserver)?) {
    self.observer = observer
  }

  /// The URLs, in the order of the redirects.
  var urls: [String] { recorded.withLock { $0 } }

  func note(_ event: TransportEvent, at time: ContinuousClock.Instant) -> Bool {
    if case .redirected(let url, _) = event { recorded.withLock { $0.append(url) } }
    return observer?.note(event, at: time) ?? false
  }

  func deliver() { observer?.deliver() }

  func observer(ofCopy copy: TransportRequest) -> (any TransferObserver)? { observer?.observer(ofCopy: copy) }

  func receive(_ event: TransferEvent) { observer?.receive(event) }
}
