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
/// `@unchecked Sendable` because what changes is behind the lock or belongs to the roster.
@usableFromInline final class Broadcast<Element>: Roster, Recipient, @unchecked Sendable {
  @usableFromInline final class Receiver: Listener {
    @usableFromInline let observer: AnyObserver<Element>

    @inlinable init(_ observer: AnyObserver<Element>) {
      self.observer = observer
    }
  }

  @usableFromInline let life = Lock(SubjectLife<Element>.running)

  @inlinable override init() {}

  // As `serializer.send` does it, without the cost of making a message of the event.
  @inlinable @inline(never) func send(_ event: Event<Element>) {
    guard serializer.takeTurn() else { return serializer.leave(event, for: self) }
    deliver(event)
    if !serializer.endTurn() { serializer.deliverBacklog(to: self) }
  }

  /// Delivers an event; `nil` asks to let go of the audience.
  @inlinable func receive(_ message: Event<Element>?) {
    if let message { deliver(message) } else { dismiss() }
  }

  @inlinable @inline(__always) func deliver(_ event: Event<Element>) {
    if event.isStopEvent { return stop(event) }
    if hasChanged.load(ordering: .acquiring) { refresh() }
    for listener in audience.listeners {
      listener._withUnsafeGuaranteedRef { unsafeDowncast($0, to: Receiver.self).observer.on(event) }
    }
  }

  @usableFromInline override func forgetLater() {
    serializer.leave(nil, for: self)
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
    dismiss()
    for listener in end(.stopped(event)) { unsafeDowncast(listener, to: Receiver.self).observer.on(event) }
  }

  /// Ends the subject's life, unless it has ended, and lets all observers go.
  @discardableResult func end(_ end: SubjectLife<Element>) -> [Listener] {
    // The former life with its error is released outside of the lock, since that may run user code.
    let former = life.withLock { life in
      let former = life
      switch (life, end) {
      case (.running, _), (_, .disposed): life = end
      default: break
      }
      return former
    }
    _ = former
    return close()
  }

  var isDisposed: Bool {
    life.withLock { if case .disposed = $0 { true } else { false } }
  }
}
