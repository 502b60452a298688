import ReactiveNetworkLock

extension ConnectableObservableType {
  /// Connects when the first observer subscribes and disconnects when the last one is disposed.
  ///
  /// After the source has ended, the next observer connects again. The first observer subscribes before the
  /// connection is made. An observer that subscribes while a connection ends gets either its stop event or a
  /// new connection. A connectable sequence of a custom type is connected and disconnected by one thread at a
  /// time: an observer that subscribes while a connection is being disposed is connected afterwards, by the
  /// disposing thread.
  ///
  /// - Returns: the shared sequence.
  public func refCount() -> Observable<Element> {
    if let connectable = self as? ConnectableObservable<Element> {
      return Observable(source: RefCountState(connectable.currentConnection, isOneAtATime: false).add)
    }
    let source = asObservable().source
    let makeConnection = { CustomMulticastConnection(source, connect: self.connect) }
    return Observable(source: RefCountState(makeConnection, isOneAtATime: true).add)
  }
}

/// A connection of a connectable sequence of a custom type.
private final class CustomMulticastConnection<Element>: MulticastConnection, @unchecked Sendable {
  // Sendable: the closures are constants, and the Rx contract serialises their calls.
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

  // `connect()` of the user takes no context.
  func contextOfSource(startedBy starter: SubscriptionContext?) throws -> SubscriptionContext? {
    _ = try starter?.rulesForSharedSource(isForeign: true)
    return nil
  }

  func open(in context: SubscriptionContext?) {
    connection.setDisposable(connect())
  }

  // Only `RefCountState` uses the connection, so there is nothing to detach it from.
  func detach() {}

  func dispose() {
    connection.dispose()
  }
}

/// Counts the observers of a connectable sequence.
///
/// An observer is counted before it subscribes, so that no leaving observer can end the connection that it
/// waits for. It subscribes to the connection that it was counted for, even if that has ended meanwhile, so
/// it gets at least its stop event.
///
/// If `connect()` of the sequence may return an existing connection, connections are opened and disposed one
/// at a time. Otherwise a connection that is opened before the former one is disposed would share the former
/// one and end with it.
private final class RefCountState<Element>: @unchecked Sendable {
  // Sendable: registrations change only under the lock.

  /// The registration of one observer.
  final class Registration: @unchecked Sendable {
    var connection: (any MulticastConnection<Element>)?
  }

  /// A step that is executed on a connection outside the lock.
  enum ConnectionStep {
    case open(any MulticastConnection<Element>, SubscriptionContext?)
    case dispose(any MulticastConnection<Element>)
  }

  struct State {
    var connection: (any MulticastConnection<Element>)?
    var observers = 0
    // The steps that wait for the executing thread, if connections are handled one at a time. A
    // `DeliverySerializer` would not keep them in the order of the decisions, which are made under the lock.
    var steps = Queue<ConnectionStep>()
    var isExecuting = false

    /// Counts an observer, and returns the connection that it joins; `nil` if there is none.
    mutating func join(_ registration: Registration) -> (any MulticastConnection<Element>)? {
      guard let connection, !connection.isDisconnected else { return nil }
      observers += 1
      registration.connection = connection
      return connection
    }
  }

  private let currentConnection: () -> any MulticastConnection<Element>
  private let isOneAtATime: Bool
  private let state = Lock(State())

  init(_ currentConnection: @escaping () -> any MulticastConnection<Element>, isOneAtATime: Bool) {
    self.currentConnection = currentConnection
    self.isOneAtATime = isOneAtATime
  }

  func add(_ observer: AnyObserver<Element>) -> any Disposable {
    let registration = Registration()
    let connection: any MulticastConnection<Element>
    let isFirst: Bool
    let context: SubscriptionContext?
    switch join(registration, for: observer) {
    case .joined(let joined, let first, let contextOfSource):
      (connection, isFirst, context) = (joined, first, contextOfSource)
    case .ended(let events):
      for event in events { observer.on(event) }
      return Disposables.create()
    }
    let subscription = connection.add(
      observer.calling { event in
        if event.isStopEvent { self.end(registration) }
        observer.on(event)
      })
    // If a pending stop event has already ended the registration, there is nothing to connect for.
    if isFirst {
      execute { _ in (registration.connection == nil ? nil : .open(connection, context), ()) }
    }
    return Disposables.create {
      subscription.dispose()
      self.leave(registration)
    }
  }

  /// What becomes of an observer.
  private enum Joined {
    /// It was counted; with the context of the source if it is the first one.
    case joined(any MulticastConnection<Element>, isFirst: Bool, SubscriptionContext?)
    /// It was not counted, and ends with these events.
    case ended([Event<Element>])
  }

  /// Returns the events that a connection replays to an observer before it is opened, if the sequence has
  /// ended.
  private func replayedEnd(
    of connection: any MulticastConnection<Element>, to observer: AnyObserver<Element>
  ) -> [Event<Element>]? {
    let replayed = Lock<[Event<Element>]>([])
    connection.add(observer.calling { event in replayed.withLock { $0.append(event) } }).dispose()
    let events = replayed.withLock { $0 }
    return events.last?.isStopEvent == true ? events : nil
  }

  /// Counts an observer and returns its connection, or ends it if it must not start the source.
  private func join(_ registration: Registration, for observer: AnyObserver<Element>) -> Joined {
    if let connection = state.withLock({ $0.join(registration) }) {
      return .joined(connection, isFirst: false, nil)
    }
    while true {
      let new = currentConnection()
      // The rules are asked only if the source would start.
      if observer.context?.hasRules == true, let events = replayedEnd(of: new, to: observer) {
        return .ended(events)
      }
      let context: SubscriptionContext?
      do {
        context = try new.contextOfSource(startedBy: observer.context)
      } catch {
        return .ended([.error(error)])
      }
      typealias Counted = (
        connection: (any MulticastConnection<Element>)?, isFirst: Bool,
        former: (any MulticastConnection<Element>)?
      )
      let (connection, isFirst, former) = state.withLock { state -> Counted in
        if let connection = state.join(registration) { return (connection, false, nil) }
        let former = state.connection
        (state.connection, state.observers) = (new, 0)
        return (state.join(registration), true, former)
      }
      // Released here, outside the lock, because that may run user code.
      _ = former
      // `nil` if another thread has disconnected the new connection meanwhile.
      if let connection { return .joined(connection, isFirst: isFirst, context) }
    }
  }

  private func end(_ registration: Registration) {
    finish(registration) { _ in true }
  }

  private func leave(_ registration: Registration) {
    finish(registration) { state in
      state.observers -= 1
      return state.observers == 0
    }
  }

  /// Ends a registration, and also its connection if that is current and `isLast` returns `true`.
  private func finish(_ registration: Registration, isLast: (inout State) -> Bool) {
    // A connection may be released here, outside the lock, because that may run user code.
    _ = execute { state -> (ConnectionStep?, (any MulticastConnection<Element>)?) in
      let connection = registration.connection.take()
      guard let connection, state.connection === connection, isLast(&state) else {
        return (nil, connection)
      }
      (state.connection, state.observers) = (nil, 0)
      connection.detach()
      return (.dispose(connection), connection)
    }
  }

  /// Decides on a step under the lock, and executes it or leaves it to the call that is executing steps.
  private func execute<Result>(_ decide: (inout State) -> (ConnectionStep?, Result)) -> Result {
    let (step, result): (ConnectionStep?, Result) = state.withLock { state in
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
      case .open(let connection, let context): connection.open(in: context)
      case .dispose(let connection): connection.dispose()
      }
      next = isOneAtATime ? nextStep() : nil
    }
    return result
  }

  private func nextStep() -> ConnectionStep? {
    state.withLock { state in
      while let step = state.steps.popFirst() {
        // Its observers have left, so there is nothing to connect for. Its disposal, which is also queued,
        // keeps it alive.
        if case .open(let connection, _) = step, state.connection !== connection { continue }
        return step
      }
      state.isExecuting = false
      return nil
    }
  }
}
