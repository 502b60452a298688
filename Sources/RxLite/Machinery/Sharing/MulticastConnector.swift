import ReactiveNetworkLock

/// Connects a source to subjects, one connection at a time.
final class MulticastConnector<Subject: SubjectType>: @unchecked Sendable {
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
  func detach(_ connection: SubjectConnection<Subject>) {
    current.withLock { current in
      if current === connection { current = nil }
    }
  }
}
