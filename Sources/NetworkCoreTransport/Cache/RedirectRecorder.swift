internal import ReactiveNetworkLock

/// Records the URLs to which a request and its copies are redirected, and passes all events on to the caller's
/// observer.
final class RedirectRecorder: TransferObserver {
  private let observer: (any TransferObserver)?
  /// The recorder of the request, if this one observes a copy.
  private let original: RedirectRecorder?
  private let recorded = Lock([String]())

  init(_ observer: (any TransferObserver)?, ofCopyBehind original: RedirectRecorder? = nil) {
    self.observer = observer
    self.original = original
  }

  /// The URLs, in the order of the redirects.
  var urls: [String] { recorded.withLock { $0 } }

  func note(_ event: TransportEvent, at time: ContinuousClock.Instant) -> Bool {
    if case .redirected(let url, _) = event { (original ?? self).recorded.withLock { $0.append(url) } }
    return observer?.note(event, at: time) ?? false
  }

  func deliver() { observer?.deliver() }

  func observer(ofCopy copy: TransportRequest) -> (any TransferObserver)? {
    RedirectRecorder(observer?.observer(ofCopy: copy), ofCopyBehind: original ?? self)
  }

  func receive(_ event: TransferEvent) { observer?.receive(event) }
}
