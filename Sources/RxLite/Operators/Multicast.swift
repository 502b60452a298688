import ReactiveNetworkLock
import Synchronization

extension ObservableType {
  /// Returns a connectable sequence that sends elements to its observers while it is connected.
  ///
  /// - Returns: the sequence; each connection has a new `PublishSubject`.
  public func publish() -> ConnectableObservable<Element> {
    multicasting(PublishSubject.init)
  }

  /// Returns a connectable sequence that replays the last elements to later observers.
  ///
  /// - Parameter bufferSize: the number of elements; 0 or more.
  /// - Returns: the sequence; each connection has a new `ReplaySubject`.
  public func replay(_ bufferSize: Int) -> ConnectableObservable<Element> {
    multicasting { ReplaySubject.create(bufferSize: bufferSize) }
  }

  /// Returns a connectable sequence that replays all elements to later observers.
  ///
  /// - Returns: the sequence; each connection has a new `ReplaySubject`.
  public func replayAll() -> ConnectableObservable<Element> {
    multicasting(ReplaySubject.createUnbounded)
  }

  /// Returns a connectable sequence that uses one subject for all connections.
  ///
  /// - Parameter subject: receives the events of the source while connected. After it has received a stop
  ///   event, later connections have no effect.
  /// - Returns: the sequence.
  public func multicast<Subject: SubjectType>(
    _ subject: Subject
  ) -> ConnectableObservable<Subject.Element> where Subject.Observer.Element == Element {
    multicasting { subject }
  }

  /// Returns a connectable sequence with a new subject for each connection.
  ///
  /// - Parameter makeSubject: returns the subject, for the first observer or call of `connect()`. If several
  ///   threads are first at the same time, it may be called more than once.
  /// - Returns: the sequence.
  @preconcurrency public func multicast<Subject: SubjectType>(
    makeSubject: @escaping @Sendable () -> Subject
  ) -> ConnectableObservable<Subject.Element> where Subject.Observer.Element == Element {
    multicasting(makeSubject)
  }

  /// `multicast` with a closure of the library, which may capture values that are not `Sendable`.
  private func multicasting<Subject: SubjectType>(
    _ makeSubject: @escaping () -> Subject
  ) -> ConnectableObservable<Subject.Element> where Subject.Observer.Element == Element {
    let connector = Connector(asObservable(), makeSubject)
    return ConnectableObservable(currentConnection: { connector.currentConnection() })
  }

  /// Shares one subscription to the source inside a function.
  ///
  /// - Parameters:
  ///   - subjectSelector: returns the subject for each subscription. An error that it throws ends the
  ///     sequence.
  ///   - selector: receives the shared sequence and returns the result. An error that it throws ends the
  ///     sequence. The source is subscribed to after the result.
  /// - Returns: the result.
  @preconcurrency public func multicast<Subject: SubjectType, Result>(
    _ subjectSelector: @escaping @Sendable () throws -> Subject,
    selector: @escaping @Sendable (Observable<Subject.Element>) throws -> Observable<Result>
  ) -> Observable<Result> where Subject.Observer.Element == Element {
    let source = asObservable()
    return .deferring {
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
  // Sendable: mutable state is behind the lock, and the closures are called by one subscription at a time.
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

  /// Detaches a connection; called by the connection itself, so it is not released under the lock.
  func forget(_ connection: SubjectConnection<Subject>) {
    current.withLock { current in
      if current === connection { current = nil }
    }
  }
}

/// A connection and its subject.
///
/// They share a lifetime, so no observer waits on a subject that gets no events.
private final class SubjectConnection<Subject: SubjectType>: Connection {
  // Receives the events of the source, one at a time.
  private nonisolated(unsafe) let subject: Subject
  private let source: Observable<Subject.Observer.Element>
  // Weak because the connector holds this connection. The connector lives for as long as another connection
  // may be requested.
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

  // An observer that subscribes while the stop event is being delivered gets that event.
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
          AnyObserver.calling { event in
            if self.isOver.load(ordering: .relaxed) { return }
            // Disconnects first, so that an observer that subscribes again when it receives the stop event
            // starts a new connection.
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
