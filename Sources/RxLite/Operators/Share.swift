public import Locking

/// How long a shared sequence keeps what it replays.
public enum SubjectLifetimeScope: Sendable {
  /// Until the last observer has gone or the source has ended; then it starts anew.
  case whileConnected
  /// As long as the shared sequence lives; once the source has ended, so has the shared sequence.
  case forever
}

extension ObservableType {
  /// Shares one subscription of the source among all observers.
  ///
  /// The source is subscribed with the first observer and disposed with the last. With `.whileConnected`, an
  /// observer that comes after the end subscribes the source anew.
  ///
  /// - Parameters:
  ///   - replay: how many of the last elements a late observer gets first; 0 or more.
  ///   - scope: how long these are kept.
  /// - Returns: the shared sequence.
  @inlinable public func share(replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected) -> Observable<
    Element
  > {
    let sharing = Sharing(asObservable(), scope: scope) {
      replay == 0
        ? SharedSubject(PublishSubject<Element>())
        : SharedSubject(ReplayingBroadcast(BufferMemory<Element>(size: replay)))
    }
    return DirectObservable(source: sharing.add)
  }
}

/// What a shared sequence is delivered through.
@usableFromInline struct SharedSubject<Element> {
  @usableFromInline let add: (AnyObserver<Element>) -> any Disposable
  @usableFromInline let send: (Event<Element>) -> Void

  @inlinable init(_ subject: PublishSubject<Element>) {
    add = subject.source
    send = subject.on
  }

  @inlinable init(_ broadcast: ReplayingBroadcast<BufferMemory<Element>>) {
    add = broadcast.add
    send = broadcast.send
  }
}

/// Counts the observers of a shared sequence and connects it while there are any.
///
/// Sendable: what changes is behind `state`; the closures are constants, called as the Rx contract serialises them.
@usableFromInline final class Sharing<Element>: @unchecked Sendable {
  /// One subscription of the source, and the observers it feeds; constants that are safe to use from several threads.
  @usableFromInline final class Connection: @unchecked Sendable {
    @usableFromInline let subject: SharedSubject<Element>
    @usableFromInline let upstream = SingleAssignmentDisposable()

    @inlinable init(_ subject: SharedSubject<Element>) {
      self.subject = subject
    }
  }

  @usableFromInline struct State {
    @usableFromInline var connection: Connection?
    @usableFromInline var observers = 0
    // The subject that outlives connections, where the scope is `.forever`, and whether it has had its stop event.
    @usableFromInline var lasting: SharedSubject<Element>?
    @usableFromInline var hasEnded = false

    @inlinable init() {}
  }

  @usableFromInline let source: Observable<Element>
  @usableFromInline let scope: SubjectLifetimeScope
  @usableFromInline let makeSubject: () -> SharedSubject<Element>
  @usableFromInline let state = Lock(State())

  @inlinable init(
    _ source: Observable<Element>, scope: SubjectLifetimeScope,
    makeSubject: @escaping () -> SharedSubject<Element>
  ) {
    self.source = source
    self.scope = scope
    self.makeSubject = makeSubject
  }

  @inlinable func add(_ observer: AnyObserver<Element>) -> any Disposable {
    let (connection, isNew) = state.withLock { state in
      if state.hasEnded, let lasting = state.lasting { return (Connection(lasting), false) }
      state.observers += 1
      if let connection = state.connection { return (connection, false) }
      let subject = state.lasting ?? makeSubject()
      if scope == .forever { state.lasting = subject }
      let connection = Connection(subject)
      state.connection = connection
      return (connection, true)
    }
    let membership = connection.subject.add(observer)
    if isNew { connect(connection) }
    return Disposables.create {
      membership.dispose()
      self.leave(connection)
    }
  }

  @inlinable func connect(_ connection: Connection) {
    source.subscribing {
      connection.upstream.setDisposable(
        source.source(
          AnyObserver { event in
            if event.isStopEvent { self.forget(connection) }
            connection.subject.send(event)
            if event.isStopEvent { connection.upstream.dispose() }
          }))
    }
  }

  /// The next observer connects anew.
  @inlinable func forget(_ connection: Connection) {
    state.withLock { state in
      guard state.connection === connection else { return }
      state.connection = nil
      state.observers = 0
      state.hasEnded = scope == .forever
    }
  }

  @inlinable func leave(_ connection: Connection) {
    let isLast = state.withLock { state in
      guard state.connection === connection else { return false }
      state.observers -= 1
      guard state.observers == 0 else { return false }
      state.connection = nil
      return true
    }
    if isLast { connection.upstream.dispose() }
  }
}
