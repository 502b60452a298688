public import Locking
public import Synchronization

/// Whether a subject still runs.
@usableFromInline enum SubjectLife<Element> {
  case running
  case stopped(Event<Element>)
  case disposed
  /// The subject was released: nobody can send any more.
  case abandoned
}

/// The observers of a subject without a memory, and the delivery to them.
///
/// Sending takes no lock: whoever delivers keeps a copy of the list, and only looks at the list behind the lock when told
/// that it has changed.
@usableFromInline final class Broadcast<Element>: @unchecked Sendable {
  @usableFromInline struct State {
    @usableFromInline var observers: [(key: Int, observer: AnyObserver<Element>)] = []
    @usableFromInline var nextKey = 0
    @usableFromInline var life = SubjectLife<Element>.running

    @inlinable init() {}
  }

  @usableFromInline let state = Lock(State())
  // `nil` asks to let go of the copy of the list.
  @usableFromInline let serializer = Serializer<Event<Element>?>()
  @usableFromInline let hasChanged = Atomic(false)
  // Used only in the serializer's turn, which is what makes the class Sendable.
  @exclusivity(unchecked) @usableFromInline var current: ContiguousArray<AnyObserver<Element>> = []

  @inlinable init() {}

  @inlinable func send(_ event: Event<Element>) {
    serializer.send(event) { deliver($0) }
  }

  @inlinable func deliver(_ message: Event<Element>?) {
    guard let event = message else {
      hasChanged.store(true, ordering: .relaxed)
      current = []
      return
    }
    if event.isStopEvent { return stop(event) }
    if hasChanged.load(ordering: .acquiring) { refresh() }
    for observer in current { observer.on(event) }
  }

  /// Lets go of the copy of the list, as soon as nobody delivers from it: who has left must not be kept alive, nor what
  /// keeps this subject alive in turn.
  @inlinable func forget() {
    serializer.send(nil) { deliver($0) }
  }

  @inlinable func add(_ observer: AnyObserver<Element>) -> any Disposable {
    let (key, life) = state.withLock { state in
      if case .running = state.life {
        state.nextKey += 1
        state.observers.append((state.nextKey, observer))
      }
      return (state.nextKey, state.life)
    }
    switch life {
    case .running:
      hasChanged.store(true, ordering: .releasing)
      // A closure rather than a protocol, so that the removal is specialised along with the subject.
      return Disposables.create { self.remove(key) }
    case .stopped(let event): observer.on(event)
    case .disposed: observer.on(.error(RxError.disposed(object: self)))
    case .abandoned: break
    }
    return Disposables.create()
  }

  @inlinable func remove(_ key: Int) {
    let removed = state.withLock { state -> AnyObserver<Element>? in
      guard let index = state.observers.firstIndex(where: { $0.key == key }) else { return nil }
      return state.observers.remove(at: index).observer
    }
    hasChanged.store(true, ordering: .releasing)
    forget()
    // Released here, outside of the lock, since that may run user code.
    _ = removed
  }

  @inlinable func refresh() {
    hasChanged.store(false, ordering: .relaxed)
    current = state.withLock { state in ContiguousArray(state.observers.map(\.observer)) }
  }

  @inlinable func stop(_ event: Event<Element>) {
    current = []
    for (_, observer) in end(.stopped(event)) { observer.on(event) }
  }

  /// Ends the subject's life, unless it has ended, and lets all observers go.
  @inlinable @discardableResult
  func end(_ life: SubjectLife<Element>) -> [(key: Int, observer: AnyObserver<Element>)] {
    defer { hasChanged.store(true, ordering: .releasing) }
    // The former life with its error is released outside of the lock, since that may run user code.
    let (observers, former) = state.withLock { state in
      let former = (state.observers, state.life)
      if case .running = state.life { state.life = life }
      if case .disposed = life { state.life = life }
      state.observers = []
      return former
    }
    _ = former
    return observers
  }

  var hasObservers: Bool { state.withLock { !$0.observers.isEmpty } }

  var isDisposed: Bool {
    state.withLock { if case .disposed = $0.life { true } else { false } }
  }
}
