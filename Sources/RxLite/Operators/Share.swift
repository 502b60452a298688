public import ReactiveNetworkLock

/// The lifetime of the replayed elements of a shared sequence.
public enum SubjectLifetimeScope: Sendable {
  /// Until the last observer is disposed or the source ends; then the sequence starts anew.
  case whileConnected
  /// As long as the shared sequence lives; when the source ends, the shared sequence ends for good.
  case forever
}

extension ObservableType {
  /// Shares one subscription to the source among all observers.
  ///
  /// The source is subscribed to with the first observer and disposed with the last. With `.whileConnected`,
  /// an observer that subscribes after the end subscribes to the source again.
  ///
  /// - Parameters:
  ///   - replay: the number of last elements that a new observer receives first; 0 or more.
  ///   - scope: the lifetime of these elements.
  /// - Returns: the shared sequence.
  @inlinable public func share(replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected) -> Observable<
    Element
  > {
    switch (scope, replay) {
    case (.whileConnected, ...0):
      DirectObservable(source: ShareState(asObservable()) { SharedSubject(PublishSubject()) }.add)
    case (.whileConnected, 1):
      DirectObservable(
        source: ShareState(asObservable()) { SharedSubject(ReplayingBroadcast(RingReplayBuffer(size: 1))) }
          .add)
    case (.whileConnected, _): self.replay(replay).refCount()
    case (.forever, ...0): multicast(PublishSubject()).refCount()
    case (.forever, _): multicast(ReplaySubject.create(bufferSize: replay)).refCount()
    }
  }
}

/// The subject of a shared sequence.
@usableFromInline struct SharedSubject<Element> {
  @usableFromInline let add: (AnyObserver<Element>) -> any Disposable
  @usableFromInline let send: (Event<Element>) -> Void

  @inlinable init(_ subject: PublishSubject<Element>) {
    add = subject.source
    send = subject.on
  }

  @inlinable init(_ broadcast: ReplayingBroadcast<RingReplayBuffer<Element>>) {
    add = broadcast.add
    send = broadcast.send
  }
}

/// Counts the observers of a shared sequence and connects it while there are any, each time with a new
/// subject.
///
/// It does the work of `multicast` and `refCount` with one call fewer for each event.
///
/// Sendable: mutable state is behind `state`; the closures are constants, and the Rx contract serialises
/// their calls.
@usableFromInline final class ShareState<Element>: @unchecked Sendable {
  /// One subscription to the source, and its observers; its constants are safe to use from several threads.
  @usableFromInline final class Connection: @unchecked Sendable {
    @usableFromInline let subject: SharedSubject<Element>
    @usableFromInline let effects = EffectRecord()
    /// The context of the source.
    @usableFromInline let context: SubscriptionContext
    @usableFromInline let upstream = SingleAssignmentDisposable()

    @inlinable init(_ subject: SharedSubject<Element>, startedBy starter: SubscriptionContext?) throws {
      self.subject = subject
      context = try SubscriptionContext(ofSharedSource: effects, startedBy: starter)
    }
  }

  @usableFromInline struct State {
    @usableFromInline var connection: Connection?
    @usableFromInline var observers = 0

    @inlinable init() {}

    /// Counts an observer if there is a connection or a new one is given, and returns the connection.
    @inlinable mutating func join(_ new: Connection? = nil) -> Connection? {
      connection = connection ?? new
      if connection != nil { observers += 1 }
      return connection
    }
  }

  @usableFromInline let source: Observable<Element>
  @usableFromInline let makeSubject: () -> SharedSubject<Element>
  @usableFromInline let state = Lock(State())

  @inlinable init(_ source: Observable<Element>, makeSubject: @escaping () -> SharedSubject<Element>) {
    self.source = source
    self.makeSubject = makeSubject
  }

  @inlinable func add(_ observer: AnyObserver<Element>) -> any Disposable {
    let connection: Connection
    let isNew: Bool
    do {
      (connection, isNew) = try join(observer.context)
    } catch {
      observer.on(.error(error))
      return Disposables.create()
    }
    let subscription = connection.subject.add(observer.recording(connection.effects))
    if isNew { connect(connection) }
    return Disposables.create {
      subscription.dispose()
      self.leave(connection)
    }
  }

  /// Counts an observer with a context, and returns its connection.
  @inlinable func join(_ context: SubscriptionContext?) throws -> (connection: Connection, isNew: Bool) {
    if let connection = state.withLock({ $0.join() }) { return (connection, false) }
    let new = try Connection(makeSubject(), startedBy: context)
    let connection = state.withLock { $0.join(new) } ?? new
    return (connection, connection === new)
  }

  @inlinable func connect(_ connection: Connection) {
    source.runInTrampolineIfNeeded {
      connection.upstream.setDisposable(
        source.source(
          AnyObserver(
            handler: { event in
              if event.isStopEvent { self.detach(connection) }
              connection.subject.send(event)
              if event.isStopEvent { connection.upstream.dispose() }
            }, context: connection.context)))
    }
  }

  /// Detaches the connection, so that the next observer connects anew.
  @inlinable func detach(_ connection: Connection) {
    connection.effects.close()
    state.withLock { state in
      if state.connection === connection { state = State() }
    }
  }

  @inlinable func leave(_ connection: Connection) {
    let isLast = state.withLock { state in
      guard state.connection === connection else { return false }
      state.observers -= 1
      guard state.observers == 0 else { return false }
      // Before another observer can connect anew.
      connection.effects.close()
      state = State()
      return true
    }
    if isLast { connection.upstream.dispose() }
  }
}
