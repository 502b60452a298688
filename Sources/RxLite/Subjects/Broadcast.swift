public import Locking
public import Synchronization

/// Whether a subject still runs.
@usableFromInline enum SubjectLife<Element> {
  case running
  case stopped(Event<Element>)
  case disposed(DisposedSubject)
  /// The subject was released: nobody can send any more.
  case abandoned
}

/// A subject that was disposed; not kept alive for its name alone.
@usableFromInline struct DisposedSubject {
  private weak var subject: AnyObject?

  init(_ subject: AnyObject) {
    self.subject = subject
  }

  /// The error for whoever subscribes later, perhaps through an operator that has outlived the subject.
  @usableFromInline func error(elseOf broadcast: AnyObject) -> any Error {
    RxError.disposed(object: subject ?? broadcast)
  }
}

/// The delivery of a subject without a memory.
///
/// An event is for those who are subscribed when it is sent. One that has to wait for another delivery carries the key of the
/// newest listener, and reaches the listeners up to that key, except those who have left meanwhile.
///
/// `@unchecked Sendable` because what changes is behind the lock or belongs to the roster.
@usableFromInline final class Broadcast<Element>: Roster, Recipient, @unchecked Sendable {
  @usableFromInline final class Receiver: Listener {
    @usableFromInline let observer: AnyObserver<Element>

    @inlinable init(_ observer: AnyObserver<Element>) {
      self.observer = observer
    }
  }

  /// What waits while another thread, or this one further up, delivers.
  @usableFromInline enum Message {
    case event(Event<Element>, newest: Int)
    case forget
    case end
  }

  @usableFromInline let life = Lock(SubjectLife<Element>.running)

  @inlinable override init() {}

  // As `serializer.send` does it, without the cost of making a message of the event.
  @inlinable @inline(never) func send(_ event: Event<Element>) {
    guard serializer.takeTurn() else { return postpone(event) }
    deliver(event)
    if !serializer.endTurn() { serializer.deliverBacklog(to: self) }
  }

  @inlinable @inline(never) func postpone(_ event: Event<Element>) {
    guard let newest = newestKey else { return }
    if event.isStopEvent, !end(.stopped(event)) { return }
    serializer.leave(.event(event, newest: newest), for: self)
  }

  @inlinable @inline(__always) func deliver(_ event: Event<Element>) {
    if event.isStopEvent { return stop(event) }
    if hasChanged.load(ordering: .acquiring) { refresh() }
    for listener in audience.listeners {
      listener._withUnsafeGuaranteedRef { unsafeDowncast($0, to: Receiver.self).observer.on(event) }
    }
  }

  @inlinable func receive(_ message: Message) {
    switch message {
    case .event(let event, let newest): deliver(event, upTo: newest)
    case .forget: dismiss()
    case .end: _ = takeAll()
    }
  }

  @inlinable func deliver(_ event: Event<Element>, upTo newest: Int) {
    if event.isStopEvent { return deliverToAll(event) }
    if hasChanged.load(ordering: .acquiring) { refreshForBacklog() }
    for listener in audience.listeners {
      listener._withUnsafeGuaranteedRef { listener in
        if listener.key <= newest { unsafeDowncast(listener, to: Receiver.self).observer.on(event) }
      }
    }
  }

  @usableFromInline override func forgetLater() {
    serializer.leave(.forget, for: self, takesOver: false)
  }

  @usableFromInline override func deliverBacklog() {
    serializer.deliverBacklog(to: self)
  }

  @inlinable func add(_ observer: AnyObserver<Element>) -> any Disposable {
    if let membership = add(Receiver(observer)) { return membership }
    switch life.withLock({ $0 }) {
    case .running, .abandoned: break
    case .stopped(let event): observer.on(event)
    case .disposed(let subject): observer.on(.error(subject.error(elseOf: self)))
    }
    return Disposables.create()
  }

  @usableFromInline func stop(_ event: Event<Element>) {
    if end(.stopped(event)) { deliverToAll(event) }
  }

  /// Delivers the stop event and lets all observers go.
  @usableFromInline func deliverToAll(_ event: Event<Element>) {
    for listener in takeAll() { unsafeDowncast(listener, to: Receiver.self).observer.on(event) }
  }

  /// Ends the subject's life without an event, and lets all observers go behind what was sent before.
  func release(_ end: SubjectLife<Element>) {
    self.end(end)
    guard serializer.takeTurn() else { return serializer.leave(.end, for: self, takesOver: false) }
    _ = takeAll()
    if !serializer.endTurn() { deliverBacklog() }
  }

  /// Ends the subject's life, unless it has ended, and lets nobody join any more; returns whether it was running.
  @discardableResult
  @usableFromInline func end(_ end: SubjectLife<Element>) -> Bool {
    // The former life with its error is released outside of the lock, since that may run user code.
    let former = life.withLock { life in
      let former = life
      switch (life, end) {
      case (.running, _), (_, .disposed): life = end
      default: break
      }
      return former
    }
    close()
    return if case .running = former { true } else { false }
  }

  var isDisposed: Bool {
    life.withLock { if case .disposed = $0 { true } else { false } }
  }
}
