public import ReactiveNetworkLock
public import Synchronization

/// Delivers the events of a subject that has no replay buffer.
///
/// An event goes to the observers that are subscribed when it is sent. An event that has to wait for another
/// delivery carries the key of the newest observer; it reaches the observers up to that key, except those
/// that were removed meanwhile.
///
/// Sendable because mutable state is behind the lock or belongs to the list.
@usableFromInline final class Broadcast<Element>: ObserverList, MessageRecipient, @unchecked Sendable {
  @usableFromInline final class Receiver: SubjectObserver {
    @usableFromInline let observer: AnyObserver<Element>

    @inlinable init(_ observer: AnyObserver<Element>) {
      self.observer = observer
    }
  }

  /// An event that waits while another thread, or this one further up the stack, delivers.
  @usableFromInline typealias Message = (event: Event<Element>, newest: Int)

  @usableFromInline let state = Lock(SubjectState<Element>.running)

  @inlinable override init() {}

  // Does the same as `serializer.send`, without the cost of wrapping the event in a message.
  @inlinable @inline(never) func send(_ event: Event<Element>) {
    guard serializer.takeTurn() else { return postpone(event) }
    deliver(event)
    if !serializer.endTurn() { serializer.deliverBacklog(to: self) }
  }

  @inlinable @inline(never) func postpone(_ event: Event<Element>) {
    if event.isStopEvent {
      if end(.stopped(event)) { serializer.enqueue((event, .max), for: self) }
      return
    }
    let backlog = whileOpen { newest in
      counter.increment()
      return serializer.append((event, newest), for: self)
    }
    if let backlog { serializer.takeOver(backlog, for: self) }
  }

  @inlinable @inline(__always) func deliver(_ event: Event<Element>) {
    if event.isStopEvent { return stop(event) }
    if hasChanged.load(ordering: .acquiring) { refresh() }
    for (_, observer) in snapshot.observers {
      observer._withUnsafeGuaranteedRef { unsafeDowncast($0, to: Receiver.self).observer.on(event) }
    }
  }

  @inlinable func receive(_ message: Message) {
    if message.event.isStopEvent { return deliverToAll(message.event) }
    if hasChanged.load(ordering: .acquiring) { refresh(isForBacklog: true) }
    for (key, observer) in snapshot.observers where key <= message.newest {
      observer._withUnsafeGuaranteedRef { unsafeDowncast($0, to: Receiver.self).observer.on(message.event) }
    }
  }

  @inlinable func finishTurn() {
    releaseUnneededIfRequested()
  }

  @inlinable func add(_ observer: AnyObserver<Element>) -> any Disposable {
    if let subscription = add(Receiver(observer)) { return subscription }
    switch state.withLock({ $0 }) {
    case .running, .abandoned: break
    case .stopped(let event): observer.on(event)
    case .disposed(let subject): observer.on(.error(subject.error(elseOf: self)))
    }
    return Disposables.create()
  }

  @usableFromInline func stop(_ event: Event<Element>) {
    guard end(.stopped(event)) else { return }
    // Elements that were accepted before the end come first.
    if serializer.hasBacklog { serializer.enqueue((event, .max), for: self) } else { deliverToAll(event) }
  }

  /// Delivers the stop event and removes all observers.
  @usableFromInline func deliverToAll(_ event: Event<Element>) {
    for observer in takeAll() { unsafeDowncast(observer, to: Receiver.self).observer.on(event) }
  }

  /// Ends the subject's life without an event, and removes all observers after pending events are delivered.
  func terminate(_ end: SubjectState<Element>) {
    self.end(end)
    removeAll()
  }

  /// Ends the subject's life and closes the list.
  ///
  /// An end that has already happened remains, unless the subject is disposed. Returns `true` if the subject
  /// was running.
  @discardableResult
  @usableFromInline func end(_ end: SubjectState<Element>) -> Bool {
    // The former state with its error is released outside the lock, because that may run user code.
    let former = state.withLock { state in
      let former = state
      switch (state, end) {
      case (.running, _), (_, .disposed): state = end
      default: break
      }
      return former
    }
    close()
    return if case .running = former { true } else { false }
  }

  var isDisposed: Bool {
    state.withLock { if case .disposed = $0 { true } else { false } }
  }
}
