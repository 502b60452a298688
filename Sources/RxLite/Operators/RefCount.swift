import Locking

extension ConnectableObservableType {
  /// Connects with the first observer and disconnects with the last.
  ///
  /// When the source ends, the next observer connects anew. Observers are subscribed before the connection is made. An observer
  /// that comes while a connection ends gets its stop event, or a connection of its own.
  ///
  /// - Returns: the shared sequence.
  public func refCount() -> Observable<Element> {
    if let connectable = self as? ConnectableObservable<Element> {
      return Observable(source: RefCount(connectable.currentConnection).add)
    }
    let source = asObservable().source
    return Observable(source: RefCount { OwnConnection(source, connect: self.connect) }.add)
  }
}

/// A connection of a connectable sequence that is the user's own.
private final class OwnConnection<Element>: Connection, @unchecked Sendable {
  // Sendable: the closures are constants, called as the Rx contract serialises them.
  private let source: Observable<Element>.Source
  private let connect: () -> any Disposable
  private let connection = SingleAssignmentDisposable()

  init(_ source: @escaping Observable<Element>.Source, connect: @escaping () -> any Disposable) {
    self.source = source
    self.connect = connect
  }

  var isDisconnected: Bool { connection.isDisposed }

  func add(_ observer: AnyObserver<Element>) -> any Disposable {
    source(observer)
  }

  func open() {
    connection.setDisposable(connect())
  }

  // Nobody else hands it out.
  func detach() {}

  func dispose() {
    connection.dispose()
  }
}

/// Counts the observers of a connectable sequence.
///
/// An observer is counted before it is subscribed: so nobody else, leaving, can end the connection it waits for. It is
/// subscribed to the connection it was counted for, whatever has become of that meanwhile: so it gets its stop event at least.
private final class RefCount<Element>: @unchecked Sendable {
  // Sendable: visits change only under the lock.

  /// The stay of one observer.
  final class Visit: @unchecked Sendable {
    var connection: (any Connection<Element>)?
  }

  struct State {
    var connection: (any Connection<Element>)?
    var observers = 0

    /// Counts an observer in, where there is a connection that it can join.
    mutating func join(_ visit: Visit) -> (any Connection<Element>)? {
      guard let connection, !connection.isDisconnected else { return nil }
      observers += 1
      visit.connection = connection
      return connection
    }
  }

  private let currentConnection: () -> any Connection<Element>
  private let state = Lock(State())

  init(_ currentConnection: @escaping () -> any Connection<Element>) {
    self.currentConnection = currentConnection
  }

  func add(_ observer: AnyObserver<Element>) -> any Disposable {
    let visit = Visit()
    let (connection, isFirst) = join(visit)
    let subscription = connection.add(
      AnyObserver { event in
        if event.isStopEvent { self.end(visit) }
        observer.on(event)
      })
    // A stop event that was waiting for the observer has ended its visit: there is nothing to connect for.
    if isFirst, state.withLock({ _ in visit.connection != nil }) { connection.open() }
    return Disposables.create {
      subscription.dispose()
      self.leave(visit)
    }
  }

  private func join(_ visit: Visit) -> (connection: any Connection<Element>, isFirst: Bool) {
    if let connection = state.withLock({ $0.join(visit) }) { return (connection, false) }
    while true {
      let new = currentConnection()
      let (connection, former): ((any Connection<Element>)?, State?) = state.withLock { state in
        if let connection = state.join(visit) { return (connection, nil) }
        let former = state
        state = State(connection: new)
        return (state.join(visit), former)
      }
      // Released here, outside of the lock, since that may run user code.
      _ = former
      // There is none where another thread has disconnected the new one meanwhile.
      if let connection { return (connection, former != nil) }
    }
  }

  private func end(_ visit: Visit) {
    finish(visit) { _ in true }
  }

  private func leave(_ visit: Visit) {
    finish(visit) { state in
      state.observers -= 1
      return state.observers == 0
    }
  }

  /// Ends a visit and, where its connection still serves and `isLast`, the connection.
  private func finish(_ visit: Visit, isLast: (inout State) -> Bool) {
    let (connection, isOver): ((any Connection<Element>)?, Bool) = state.withLock { state in
      // A connection may end here: it leaves the lock, since that may run user code.
      let connection = visit.connection.take()
      guard let connection, state.connection === connection, isLast(&state) else {
        return (connection, false)
      }
      state = State()
      connection.detach()
      return (connection, true)
    }
    if isOver { connection?.dispose() }
  }
}
