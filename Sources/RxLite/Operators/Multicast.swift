import Locking
import Synchronization

extension ObservableType {
  /// Makes a connectable sequence that sends to its observers what comes while it is connected.
  ///
  /// - Returns: the sequence; each connection has a new `PublishSubject`.
  public func publish() -> ConnectableObservable<Element> {
    multicast(makeSubject: PublishSubject.init)
  }

  /// Makes a connectable sequence that replays the last elements to late observers.
  ///
  /// - Parameter bufferSize: how many; 0 or more.
  /// - Returns: the sequence; each connection has a new `ReplaySubject`.
  public func replay(_ bufferSize: Int) -> ConnectableObservable<Element> {
    multicast { ReplaySubject.create(bufferSize: bufferSize) }
  }

  /// Makes a connectable sequence that replays all elements to late observers.
  ///
  /// - Returns: the sequence; each connection has a new `ReplaySubject`.
  public func replayAll() -> ConnectableObservable<Element> {
    multicast(makeSubject: ReplaySubject.createUnbounded)
  }

  /// Makes a connectable sequence of a subject, which serves all connections.
  ///
  /// - Parameter subject: gets the events of the source while connected; once it has had the stop event, later
  ///   connections have no effect.
  /// - Returns: the sequence.
  public func multicast<Subject: SubjectType>(
    _ subject: Subject
  ) -> ConnectableObservable<Subject.Element> where Subject.Observer.Element == Element {
    multicast(makeSubject: { subject })
  }

  /// Makes a connectable sequence with a subject for each connection.
  ///
  /// - Parameter makeSubject: makes the subject, for the first that subscribes or connects; may be called once too often where
  ///   several do so at the same time.
  /// - Returns: the sequence.
  public func multicast<Subject: SubjectType>(
    makeSubject: @escaping () -> Subject
  ) -> ConnectableObservable<Subject.Element> where Subject.Observer.Element == Element {
    let connector = Connector(asObservable(), makeSubject)
    return ConnectableObservable(currentConnection: { connector.currentConnection() })
  }

  /// Shares one subscription of the source inside of a function.
  ///
  /// - Parameters:
  ///   - subjectSelector: makes the subject, for each subscription; what it throws ends the sequence.
  ///   - selector: makes the result of the shared sequence; what it throws ends the sequence. The source is subscribed after
  ///     the result is.
  /// - Returns: the result.
  public func multicast<Subject: SubjectType, Result>(
    _ subjectSelector: @escaping () throws -> Subject,
    selector: @escaping (Observable<Subject.Element>) throws -> Observable<Result>
  ) -> Observable<Result> where Subject.Observer.Element == Element {
    let source = asObservable()
    return .deferred {
      let shared = source.multicast(try subjectSelector())
      let result = try selector(shared).source
      return Observable { observer in
        let subscription = result(observer)
        return Disposables.create(subscription, shared.connect())
      }
    }
  }
}

/// Connects a source to subjects, one connection at a time.
private final class Connector<Subject: SubjectType>: @unchecked Sendable {
  // Sendable: what changes is behind the lock, the closures are called by one subscription at a time.
  private let source: Observable<Subject.Observer.Element>
  private let makeSubject: () -> Subject
  private let current = Lock<SubjectConnection<Subject>?>(nil)

  init(_ source: Observable<Subject.Observer.Element>, _ makeSubject: @escaping () -> Subject) {
    self.source = source
    self.makeSubject = makeSubject
  }

  func currentConnection() -> SubjectConnection<Subject> {
    if let connection = current.withLock({ $0 }) { return connection }
    let new = SubjectConnection(of: self, source, makeSubject())
    return current.withLock { current in
      let connection = current ?? new
      current = connection
      return connection
    }
  }

  /// Called by the connection itself, which keeps it alive beyond the lock.
  func forget(_ connection: SubjectConnection<Subject>) {
    current.withLock { current in
      if current === connection { current = nil }
    }
  }
}

/// A connection and its subject, which come and go together: so no observer waits on a subject that nobody will feed.
private final class SubjectConnection<Subject: SubjectType>: Connection {
  // Fed by the source, one event after the other.
  private nonisolated(unsafe) let subject: Subject
  private let source: Observable<Subject.Observer.Element>
  // It has this connection in its turn, and lives as long as somebody may ask for the next one.
  private weak let connector: Connector<Subject>?
  private let upstream = SingleAssignmentDisposable()
  private let isOpened = Atomic(false)
  private let isStopped = Atomic(false)
  private let isOver = Atomic(false)

  init(of connector: Connector<Subject>, _ source: Observable<Subject.Observer.Element>, _ subject: Subject) {
    self.connector = connector
    self.source = source
    self.subject = subject
  }

  // An observer that comes while the stop event is on its way gets that.
  var isDisconnected: Bool { isOver.load(ordering: .acquiring) && !isStopped.load(ordering: .acquiring) }

  func add(_ observer: AnyObserver<Subject.Element>) -> any Disposable {
    subject.asObservable().source(observer)
  }

  func open() {
    if isOver.load(ordering: .acquiring) || isOpened.exchange(true, ordering: .acquiringAndReleasing) {
      return
    }
    let observer = AnyObserver(subject.asObserver())
    source.subscribing {
      upstream.setDisposable(
        source.source(
          AnyObserver { event in
            if self.isOver.load(ordering: .relaxed) { return }
            // Disconnected first: who subscribes again from inside the stop event begins anew.
            if event.isStopEvent {
              self.isStopped.store(true, ordering: .releasing)
              self.dispose()
            }
            observer.on(event)
          }))
    }
  }

  func detach() {
    if !isOver.exchange(true, ordering: .acquiringAndReleasing) { connector?.forget(self) }
  }

  func dispose() {
    detach()
    upstream.dispose()
  }
}
