import Locking

extension ConnectableObservableType {
  /// Connects with the first observer and disconnects with the last.
  ///
  /// When the source ends, the next observer connects anew. Observers are subscribed before the connection is made.
  ///
  /// - Returns: the shared sequence.
  public func refCount() -> Observable<Element> {
    Observable(source: RefCount(self).add)
  }
}

/// A connection that can be taken out of service without running foreign code, so also under a lock.
protocol Detachable: Disposable {
  /// Lets the next to connect begin anew; what is left is to dispose it.
  func detach()
}

/// Counts the observers of a connectable sequence.
///
/// An observer is counted before it is subscribed: so nobody else, leaving, can end the connection it waits for.
private final class RefCount<Element>: @unchecked Sendable {
  // Sendable: eras and visits change only under the lock.

  /// A time with observers; its connection is missing while it is being made.
  final class Era {
    var connection: (any Disposable)?
  }

  /// The stay of one observer.
  final class Visit: @unchecked Sendable {
    var era: Era?
  }

  struct State {
    var era: Era?
    var observers = 0
  }

  private let source: Observable<Element>.Source
  private let makeConnection: () -> any Disposable
  private let state = Lock(State())

  init<Connectable: ConnectableObservableType>(_ connectable: Connectable)
  where Connectable.Element == Element {
    source = connectable.asObservable().source
    makeConnection = connectable.connect
  }

  func add(_ observer: AnyObserver<Element>) -> any Disposable {
    let visit = Visit()
    let isFirst = state.withLock { state in
      let isFirst = state.era == nil
      let era = state.era ?? Era()
      state = State(era: era, observers: state.observers + 1)
      visit.era = era
      return isFirst
    }
    let subscription = source(
      AnyObserver { event in
        if event.isStopEvent { self.end(visit) }
        observer.on(event)
      })
    // A stop event that was waiting for the observer has ended its visit: there is nothing to connect for.
    if isFirst, let era = state.withLock({ _ in visit.era }) { connect(era) }
    return Disposables.create {
      subscription.dispose()
      self.leave(visit)
    }
  }

  private func connect(_ era: Era) {
    let connection = makeConnection()
    let outdated: (any Disposable)? = state.withLock { state in
      guard state.era === era else { return connection }
      era.connection = connection
      return state.observers == 0 ? state.disconnect() : nil
    }
    outdated?.dispose()
  }

  private func end(_ visit: Visit) {
    let (_, connection) = state.withLock { state in
      // An era, and its connection with it, may end here: it leaves the lock, since that may run user code.
      let era = visit.era.take()
      return (era, era != nil && state.era === era ? state.disconnect() : nil)
    }
    connection?.dispose()
  }

  private func leave(_ visit: Visit) {
    let (_, connection): (Era?, (any Disposable)?) = state.withLock { state in
      guard let era = visit.era.take() else { return (nil, nil) }
      guard state.era === era else { return (era, nil) }
      state.observers -= 1
      // Where the connection is being made, whoever makes it sees that nobody is left.
      return (era, state.observers == 0 && era.connection != nil ? state.disconnect() : nil)
    }
    connection?.dispose()
  }
}

extension RefCount.State {
  /// Ends the era and returns what is left to be disposed.
  fileprivate mutating func disconnect() -> (any Disposable)? {
    let connection = era?.connection
    self = Self()
    (connection as? any Detachable)?.detach()
    return connection
  }
}
