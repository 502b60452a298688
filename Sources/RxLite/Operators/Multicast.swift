extension ObservableType {
  /// Returns a connectable sequence that uses one subject for all connections.
  ///
  /// - Parameter subject: receives the events of the source while connected. After it has received a stop
  ///   event, the events of later connections reach no observer.
  /// - Returns: the sequence.
  @inlinable public func multicast<Subject: SubjectType>(
    _ subject: Subject
  ) -> ConnectableObservable<Subject.Element> where Subject.Observer.Element == Element {
    multicasting { subject }
  }

  /// Returns a connectable sequence with a new subject for each connection.
  ///
  /// - Parameter makeSubject: returns the subject, for the first observer or call of `connect()`. If several
  ///   threads are first at the same time, it may be called more than once.
  /// - Returns: the sequence.
  @preconcurrency @inlinable public func multicast<Subject: SubjectType>(
    makeSubject: @escaping @Sendable () -> Subject
  ) -> ConnectableObservable<Subject.Element> where Subject.Observer.Element == Element {
    multicasting(makeSubject)
  }

  /// `multicast` with a closure of the library, which may capture values that are not `Sendable`.
  @inlinable func multicasting<Subject: SubjectType>(
    _ makeSubject: @escaping () -> Subject
  ) -> ConnectableObservable<Subject.Element> where Subject.Observer.Element == Element {
    ConnectableObservable(SharedSource(asObservable()) { SharedSubject(makeSubject()) })
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
        return Disposables.create(subscription, shared.openConnection(observer.context))
      }
    }
  }
}
