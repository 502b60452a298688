import Synchronization

/// A connection and its subject.
///
/// They share a lifetime, so no observer waits on a subject that gets no events.
final class SubjectConnection<Subject: SubjectType>: MulticastConnection {
  // Receives the events of the source, one at a time.
  private nonisolated(unsafe) let subject: Subject
  private let source: Observable<Subject.Observer.Element>
  // Weak because the connector holds this connection. The connector lives for as long as another connection
  // may be requested.
  private weak let connector: MulticastConnector<Subject>?
  private let effects = EffectRecord()
  private let upstream = SingleAssignmentDisposable()
  private let isOpened = Atomic(false)
  private let hasReceivedStopEvent = Atomic(false)
  private let hasEnded = Atomic(false)

  init(
    of connector: MulticastConnector<Subject>, _ source: Observable<Subject.Observer.Element>,
    _ subject: Subject
  ) {
    self.connector = connector
    self.source = source
    self.subject = subject
  }

  // An observer that subscribes while the stop event is being delivered gets that event.
  var isDisconnected: Bool {
    hasEnded.load(ordering: .acquiring) && !hasReceivedStopEvent.load(ordering: .acquiring)
  }

  func add(_ observer: AnyObserver<Subject.Element>) -> any Disposable {
    subject.asObservable().source(observer.recording(effects))
  }

  func contextOfSource(startedBy starter: SubscriptionContext?) throws -> SubscriptionContext? {
    try SubscriptionContext(ofSharedSource: effects, startedBy: starter)
  }

  func open(in context: SubscriptionContext?) {
    if hasEnded.load(ordering: .acquiring) || isOpened.exchange(true, ordering: .acquiringAndReleasing) {
      return
    }
    let observer = AnyObserver(erasing: subject.asObserver())
    source.runInTrampolineIfNeeded {
      upstream.setDisposable(
        source.source(
          AnyObserver(
            handler: { event in
              if self.hasEnded.load(ordering: .relaxed) { return }
              // Disconnects first, so that an observer that subscribes again when it receives the stop event
              // starts a new connection.
              if event.isStopEvent {
                self.hasReceivedStopEvent.store(true, ordering: .releasing)
                self.dispose()
              }
              observer.on(event)
            }, context: context ?? SubscriptionContext(ofSharedSource: effects))))
    }
  }

  func detach() {
    effects.close()
    if !hasEnded.exchange(true, ordering: .acquiringAndReleasing) { connector?.detach(self) }
  }

  func dispose() {
    detach()
    upstream.dispose()
  }
}
