public import ReactiveNetworkLock
public import Synchronization

/// A source that its observers share through one connection at a time, each with its own subject.
///
/// An observer is counted before it subscribes, so no leaving observer can end the connection that it waits
/// for. It subscribes to the connection that it was counted for, even if that has ended meanwhile, so it gets
/// at least its stop event.
@usableFromInline final class SharedSource<Input, Output> {
  @usableFromInline let source: Observable<Input>
  @usableFromInline let makeSubject: () -> SharedSubject<Input, Output>
  /// Whether the subject ends a connection, because it may end on its own or outlive the connection.
  ///
  /// The source is then disposed before the subject gets its stop event, and until an observer gets it, new
  /// observers join the ending connection. Otherwise the connection ends with the source, which is disposed
  /// after the stop event.
  @usableFromInline let endsWithSubject: Bool
  /// Whether the source is started by code outside the package, which takes no context.
  @usableFromInline let isForeign: Bool
  /// The connection that counted observers join, even while its stop event is being delivered.
  @usableFromInline let current = Lock<Connection?>(nil)

  @inlinable init(
    _ source: Observable<Input>, endsWithSubject: Bool = true, isForeign: Bool = false,
    makeSubject: @escaping () -> SharedSubject<Input, Output>
  ) {
    self.source = source
    self.makeSubject = makeSubject
    self.endsWithSubject = endsWithSubject
    self.isForeign = isForeign
  }

  /// Adds an observer that does not count.
  @inlinable func add(_ observer: AnyObserver<Output>) -> any Disposable {
    currentConnection().add(observer)
  }

  /// Opens the connection, unless it is open.
  ///
  /// - Parameter context: the context of the subscription that alone uses the connection; `nil` if there is
  ///   none.
  /// - Returns: a disposable that ends the connection.
  @usableFromInline func connect(in context: SubscriptionContext?) -> any Disposable {
    let connection = currentConnection()
    open(connection, in: context ?? SubscriptionContext(ofSharedSource: connection.effects))
    return AnonymousDisposable { self.end(connection) }
  }

  /// Adds an observer, opens the connection for the first one, and ends it when the last one leaves.
  @inlinable func addCounted(_ observer: AnyObserver<Output>) -> any Disposable {
    let (connection, context): (Connection, SubscriptionContext?)
    do {
      (connection, context) = try count(observer)
    } catch {
      observer.on(.error(error))
      return Disposables.create()
    }
    let subscription = connection.add(
      endsWithSubject
        ? observer.calling { event in
          if event.isStopEvent { self.end(connection) }
          observer.on(event)
        } : observer)
    if let context { open(connection, in: context) }
    return AnonymousDisposable {
      subscription.dispose()
      self.leave(connection)
    }
  }

  /// Counts an observer.
  ///
  /// - Parameter observer: the observer, whose rules apply if it starts the source.
  /// - Returns: its connection, and the context of the source if the observer starts that.
  /// - Throws: the error of the observer, if it must not start the source.
  @inlinable func count(_ observer: AnyObserver<Output>) throws -> (Connection, SubscriptionContext?) {
    while true {
      let (connection, isCounted) = current.withLock { current in
        guard let current, current.observers > 0 else { return (current?.running, false) }
        current.observers += 1
        return (current, true)
      }
      if isCounted, let connection { return (connection, nil) }
      let new = connection ?? Connection(makeSubject())
      // The rules are asked only if the source would start.
      let context =
        observer.context != nil && replaysEnd(new, to: observer)
        ? nil
        : try SubscriptionContext(
          ofSharedSource: new.effects, startedBy: observer.context, isForeign: isForeign)
      if countFirst(of: new) { return (new, context) }
    }
  }

  /// Counts the first observer of a connection; returns `false` if another thread was faster.
  @inlinable func countFirst(of new: Connection) -> Bool {
    current.withLock { current in
      let isReplaceable = current?.running == nil && current?.observers ?? 0 == 0
      guard isReplaceable || current === new && new.observers == 0, !new.hasEnded else { return false }
      new.observers = 1
      current = new
      return true
    }
  }

  /// Returns whether an observer with rules gets only the former stop event of the subject.
  @usableFromInline func replaysEnd(_ connection: Connection, to observer: AnyObserver<Output>) -> Bool {
    guard endsWithSubject, observer.context?.hasRules == true else { return false }
    let hasEnded = AtomicFlag()
    connection.subject.add(observer.calling { if $0.isStopEvent { hasEnded.set() } }).dispose()
    return hasEnded.isSet
  }

  /// Returns the connection that the next observer joins, which may not be open yet.
  @inlinable func currentConnection() -> Connection {
    if let connection = current.withLock({ $0?.running }) { return connection }
    let new = Connection(makeSubject())
    return current.withLock { current in
      if let connection = current?.running { return connection }
      current = new
      return new
    }
  }

  @inlinable func open(_ connection: Connection, in context: SubscriptionContext) {
    if connection.hasEnded || connection.isOpened.exchange(true, ordering: .acquiringAndReleasing) { return }
    source.runInTrampolineIfNeeded {
      connection.upstream.setDisposable(
        source.source(
          AnyObserver(
            handler: { event in
              if connection.hasEnded { return }
              if event.isStopEvent { return self.stop(connection, event) }
              connection.subject.send(event)
            }, context: context)))
    }
  }

  /// Ends a connection with the stop event of the source.
  ///
  /// An observer that subscribes again when it gets the event starts a new connection.
  @usableFromInline func stop(_ connection: Connection, _ event: Event<Input>) {
    if endsWithSubject {
      connection.close()
      connection.upstream.dispose()
    } else {
      detach(connection)
    }
    connection.subject.send(event)
    end(connection)
  }

  /// Ends a connection, so that the next observer starts a new one.
  @usableFromInline func end(_ connection: Connection) {
    detach(connection)
    connection.upstream.dispose()
  }

  @usableFromInline func detach(_ connection: Connection) {
    connection.close()
    current.withLock { current in
      if current === connection { current = nil }
    }
  }

  @inlinable func leave(_ connection: Connection) {
    let isLast = current.withLock { current in
      connection.observers -= 1
      guard connection.observers == 0, current === connection else { return false }
      // Before another observer can start a new connection.
      connection.close()
      current = nil
      return true
    }
    if isLast { connection.upstream.dispose() }
  }
}

extension SharedSource {
  /// One subscription to the source, and its observers, which may subscribe before it is opened.
  ///
  /// They share a lifetime, so no observer waits on a subject that gets no events.
  @usableFromInline final class Connection {
    @usableFromInline let subject: SharedSubject<Input, Output>
    @usableFromInline let effects = EffectRecord()
    @usableFromInline let upstream = SingleAssignmentDisposable()
    /// The number of counted observers, behind the lock of the shared source.
    @usableFromInline var observers = 0
    @usableFromInline let isOpened = Atomic(false)
    @usableFromInline let isClosed = Atomic(false)

    @inlinable init(_ subject: SharedSubject<Input, Output>) {
      self.subject = subject
    }

    /// Whether the source has ended or was disposed, even if the observers have not got its stop event yet.
    @inlinable var hasEnded: Bool { isClosed.load(ordering: .acquiring) }

    /// The connection; `nil` if its source has ended.
    @inlinable var running: Connection? { hasEnded ? nil : self }

    @inlinable func add(_ observer: AnyObserver<Output>) -> any Disposable {
      subject.add(observer.recording(effects))
    }

    /// Ends the effects of the source.
    ///
    /// Runs no user code, so that it may be called under a lock.
    @usableFromInline func close() {
      effects.close()
      isClosed.store(true, ordering: .releasing)
    }
  }
}

/// The subject of a shared source.
@usableFromInline struct SharedSubject<Input, Output> {
  @usableFromInline let add: (AnyObserver<Output>) -> any Disposable
  @usableFromInline let send: (Event<Input>) -> Void

  @inlinable init(
    add: @escaping (AnyObserver<Output>) -> any Disposable, send: @escaping (Event<Input>) -> Void
  ) {
    self.add = add
    self.send = send
  }

  @inlinable init<Subject: SubjectType>(_ subject: Subject)
  where Subject.Observer.Element == Input, Subject.Element == Output {
    self.init(add: subject.asObservable().source, send: subject.asObserver().on)
  }
}
