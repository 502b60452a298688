internal import ReactiveNetworkLock

/// Records the URLs to which a request is redirected, and passes all events on to the caller's observer.
final class RedirectRecorder: TransferObserver {
  private let observer: (any TransferObserver)?
  private let recorded: Lock<[String]>

  init(_ observer: (any TransferObserver)?, recordingIn recorded: Lock<[String]> = Lock([])) {
    self.observer = observer
    self.recorded = recorded
  }

  /// The URLs, in the order of the redirects.
  var urls: [String] { recorded.withLock { $0 } }

  func note(_ event: TransportEvent, at time: ContinuousClock.Instant) -> Bool {
    if case .redirected(let url, _) = event { recorded.withLock { $0.append(url) } }
    return observer?.note(event, at: time) ?? false
  }

  func deliver() { observer?.deliver() }

  /// Returns an observer of the copy, whose redirects belong to those of the request.
  func observer(ofCopy copy: TransportRequest) -> (any TransferObserver)? {
    RedirectRecorder(observer?.observer(ofCopy: copy), recordingIn: recorded)
  }

  func receive(_ event: TransferEvent) { observer?.receive(event) }
}
