import Locking

extension ConnectableObservableType {
  /// Connects with the first observer and disconnects with the last.
  ///
  /// When the source ends, the next observer connects anew. Observers are subscribed before the connection is made. An observer
  /// that comes while a connection ends gets its stop event, or a connection of its own. A connectable sequence of a type of your
  /// own is connected and disconnected by one thread at a time: an observer that comes while its connection is disposed is connected
  /// by the disposing thread, after that.
  ///
  /// - Returns: the shared sequence.
  public func refCount() -> Observable<Element> {
    if let connectable = self as? ConnectableObservable<Element> {
      return Observable(source: RefCount(connectable.currentConnection, isOneAtATime: false).add)
    }
    let source = asObservable().source
    let makeConnection = { OwnConnection(source, connect: self.connect) }
    return Observable(source: RefCount(makeConnection, isOneAtATime: true).add)
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
///
/// Where `connect()` of the sequence may return a connection that exists already, connections are opened and disposed one after
/// the other: an open that came before the former connection's disposal would join that connection, and end with it.
private final class RefCount<Element>: @unchecked Sendable {
  // Sendable: visits change only under the lock.

  /// The stay of one observer.
  final class Visit: @unchecked Sendable {
    var connection: (any Connection<Element>)?
  }

  /// What is to be done to a connection, outside of the lock.
  enum Step {
    case open(any Connection<Element>)
    case dispose(any Connection<Element>)
  }

  struct State {
    var connection: (any Connection<Element>)?
    var observers = 0
    // What waits for the thread that executes the steps; used where there is one connection at a time.
    var steps = Queue<Step>()
    var isExecuting = false

    /// Counts an observer in, where there is a connection that it can join.
    mutating func join(_ visit: Visit) -> (any Connection<Element>)? {
      guard let connection, !connection.isDisconnected else { return nil }
      observers += 1
      visit.connection = connection
      return connection
    }
  }

  private let currentConnection: () -> any Connection<Element>
  private let isOneAtATime: Bool
  private let state = Lock(State())

  init(_ currentConnection: @escaping () -> any Connection<Element>, isOneAtATime: Bool) {
    self.currentConnection = currentConnection
    self.isOneAtATime = isOneAtATime
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
    if isFirst {
      execute { _ in (visit.connection == nil ? nil : .open(connection), ()) }
    }
    return Disposables.create {
      subscription.dispose()
      self.leave(visit)
    }
  }

  private func join(_ visit: Visit) -> (connection: any Connection<Element>, isFirst: Bool) {
    if let connection = state.withLock({ $0.join(visit) }) { return (connection, false) }
    while true {
      let new = currentConnection()
      typealias Joined = (
        connection: (any Connection<Element>)?, isFirst: Bool, former: (any Connection<Element>)?
      )
      let (connection, isFirst, former) = state.withLock { state -> Joined in
        if let connection = state.join(visit) { return (connection, false, nil) }
        let former = state.connection
        (state.connection, state.observers) = (new, 0)
        return (state.join(visit), true, former)
      }
      // Released here, outside of the lock, since that may run user code.
      _ = former
      // There is none where another thread has disconnected the new one meanwhile.
      if let connection { return (connection, isFirst) }
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
    // A connection may end here: it leaves the lock, since that may run user code.
    _ = execute { state -> (Step?, (any Connection<Element>)?) in
      let connection = visit.connection.take()
      guard let connection, state.connection === connection, isLast(&state) else {
        return (nil, connection)
      }
      (state.connection, state.observers) = (nil, 0)
      connection.detach()
      return (.dispose(connection), connection)
    }
  }

  /// Decides under the lock on a step and executes it: at once, or behind the steps that another call executes.
  private func execute<Result>(_ decide: (inout State) -> (Step?, Result)) -> Result {
    let (step, result): (Step?, Result) = state.withLock { state in
      let (step, result) = decide(&state)
      guard isOneAtATime, let step else { return (step, result) }
      if state.isExecuting {
        state.steps.append(step)
        return (nil, result)
      }
      state.isExecuting = true
      return (step, result)
    }
    var next = step
    while let step = next {
      switch step {
      case .open(let connection): connection.open()
      case .dispose(let connection): connection.dispose()
      }
      next = isOneAtATime ? nextStep() : nil
    }
    return result
  }

  private func nextStep() -> Step? {
    state.withLock { state in
      while let step = state.steps.popFirst() {
        // Its observers have left: there is nothing to connect for. Its disposal, which waits too, keeps it alive.
        if case .open(let connection) = step, state.connection !== connection { continue }
        return step
      }
      state.isExecuting = false
      return nil
    }
  }
}
