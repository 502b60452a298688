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
@usableFromInline final class Broadcast<Element>: Recipient, @unchecked Sendable {
  @usableFromInline struct State {
    @usableFromInline var listeners: [Listener<Element>] = []
    @usableFromInline var nextKey = 0
    @usableFromInline var life = SubjectLife<Element>.running

    @inlinable init() {}
  }

  @usableFromInline let state = Lock(State())
  // `nil` asks to let go of the copy of the list.
  @usableFromInline let serializer = Serializer<Event<Element>?>()
  @usableFromInline let hasChanged = Atomic(false)
  // Used only in the serializer's turn, which is what makes the class Sendable.
  @exclusivity(unchecked) @usableFromInline var audience = Audience<Element>()

  @inlinable init() {}

  deinit {
    audience.replace(with: [])
  }

  @inlinable @inline(never) func send(_ event: Event<Element>) {
    serializer.send(event, to: self)
  }

  @inlinable func receive(_ message: Event<Element>?) {
    guard let event = message else {
      hasChanged.store(true, ordering: .relaxed)
      audience.replace(with: [])
      return
    }
    if event.isStopEvent { return stop(event) }
    if hasChanged.load(ordering: .acquiring) { refresh() }
    audience.hear(event)
  }

  /// Lets go of the copy of the list, as soon as nobody delivers from it: who has left must not be kept alive, nor what
  /// keeps this subject alive in turn.
  @inlinable func forget() {
    serializer.send(nil, to: self)
  }

  @inlinable func add(_ observer: AnyObserver<Element>) -> any Disposable {
    let (key, life) = state.withLock { state in
      if case .running = state.life {
        state.nextKey += 1
        state.listeners.append(Listener(observer, key: state.nextKey))
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
    let removed = state.withLock { state -> Listener<Element>? in
      guard let index = state.listeners.firstIndex(where: { $0.key == key }) else { return nil }
      return state.listeners.remove(at: index)
    }
    hasChanged.store(true, ordering: .releasing)
    forget()
    // Released here, outside of the lock, since that may run user code.
    _ = removed
  }

  @inlinable func refresh() {
    hasChanged.store(false, ordering: .relaxed)
    audience.replace(with: state.withLock { $0.listeners })
  }

  @inlinable func stop(_ event: Event<Element>) {
    audience.replace(with: [])
    for listener in end(.stopped(event)) { listener.observer.on(event) }
  }

  /// Ends the subject's life, unless it has ended, and lets all observers go.
  @inlinable @discardableResult
  func end(_ life: SubjectLife<Element>) -> [Listener<Element>] {
    defer { hasChanged.store(true, ordering: .releasing) }
    // The former life with its error is released outside of the lock, since that may run user code.
    let (listeners, former) = state.withLock { state in
      let former = (state.listeners, state.life)
      if case .running = state.life { state.life = life }
      if case .disposed = life { state.life = life }
      state.listeners = []
      return former
    }
    _ = former
    return listeners
  }

  var hasObservers: Bool { state.withLock { !$0.listeners.isEmpty } }

  var isDisposed: Bool {
    state.withLock { if case .disposed = $0.life { true } else { false } }
  }
}

/// An observer of a subject.
@usableFromInline final class Listener<Element> {
  @usableFromInline let observer: AnyObserver<Element>
  @usableFromInline let key: Int

  @inlinable init(_ observer: AnyObserver<Element>, key: Int) {
    self.observer = observer
    self.key = key
  }
}

/// Listeners to call one after the other, without counting references at each event as an array would.
@usableFromInline struct Audience<Element> {
  @usableFromInline var listeners = UnsafeMutableBufferPointer<Unmanaged<Listener<Element>>>(
    start: nil, count: 0)

  @inlinable init() {}

  @inlinable func hear(_ event: Event<Element>) {
    for listener in listeners {
      listener._withUnsafeGuaranteedRef { $0.observer.on(event) }
    }
  }

  @inlinable mutating func replace(with others: [Listener<Element>]) {
    let former = listeners
    listeners = .allocate(capacity: others.count)
    _ = listeners.initialize(fromContentsOf: others.map { Unmanaged.passRetained($0) })
    for listener in former { listener.release() }
    former.deallocate()
  }
}
