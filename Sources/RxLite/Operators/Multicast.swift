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
    return ConnectableObservable(
      source: { connector.currentSubject().asObservable().source($0) }, connector: connector.connect)
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
///
/// A connection and its subject come and go together, so an observer never waits on a subject that nobody will feed.
private final class Connector<Subject: SubjectType>: @unchecked Sendable {
  // Sendable: what changes is behind the lock, the closures are called by one subscription at a time.
  typealias Element = Subject.Observer.Element

  struct State {
    var subject: Subject?
    var connection: Connection?
  }

  private let source: Observable<Element>
  private let makeSubject: () -> Subject
  private let state = Lock(State())

  init(_ source: Observable<Element>, _ makeSubject: @escaping () -> Subject) {
    self.source = source
    self.makeSubject = makeSubject
  }

  func currentSubject() -> Subject {
    if let subject = state.withLock({ $0.subject }) { return subject }
    let new = makeSubject()
    return state.withLock { state in
      let subject = state.subject ?? new
      state.subject = subject
      return subject
    }
  }

  func connect() -> any Disposable {
    let subject = currentSubject()
    let (connection, isNew) = state.withLock { state in
      if let connection = state.connection { return (connection, false) }
      let connection = Connection(self, state.subject ?? subject)
      state = State(subject: connection.subject, connection: connection)
      return (connection, true)
    }
    if isNew { connection.open(source) }
    return connection
  }

  func forget(_ connection: Connection) {
    let forgotten: State? = state.withLock { state in
      guard state.connection === connection else { return nil }
      defer { state = State() }
      return state
    }
    // Released here, outside of the lock, since that may run user code.
    _ = forgotten
  }

  final class Connection: Detachable {
    // Fed by the source, one event after the other.
    nonisolated(unsafe) let subject: Subject
    private let connector: Connector
    private let upstream = SingleAssignmentDisposable()
    private let isOver = Atomic(false)

    init(_ connector: Connector, _ subject: Subject) {
      self.connector = connector
      self.subject = subject
    }

    func open(_ source: Observable<Element>) {
      let observer = AnyObserver(subject.asObserver())
      source.subscribing {
        upstream.setDisposable(
          source.source(
            AnyObserver { event in
              if self.isOver.load(ordering: .relaxed) { return }
              // Disconnected first: who subscribes again from inside the stop event begins anew.
              if event.isStopEvent { self.dispose() }
              observer.on(event)
            }))
      }
    }

    func detach() {
      if !isOver.exchange(true, ordering: .acquiringAndReleasing) { connector.forget(self) }
    }

    func dispose() {
      detach()
      upstream.dispose()
    }
  }
}
