import Locking
public import Synchronization

/// Who listens to a subject, and the copy of that list that is walked along when something is delivered.
///
/// Delivery takes no lock: whoever delivers uses the copy, and only looks at the list behind the lock when told that it
/// has changed. Nothing here depends on the element, so that joining and leaving need no generic code.
@usableFromInline class Roster: @unchecked Sendable {
  private struct State {
    var listeners: [Listener] = []
    var nextKey = 0
    var isOpen = true
  }

  private let state = Lock(State())
  @usableFromInline final let hasChanged = Atomic(false)
  @usableFromInline final let serializer = Serializer()
  // Used only in the serializer's turn, which is what makes the class Sendable.
  @exclusivity(unchecked) @usableFromInline final var audience = Audience()

  @usableFromInline init() {}

  deinit {
    audience.replace(with: [])
  }

  /// Asks whoever delivers to let go of the audience.
  @usableFromInline func forgetLater() {}

  /// Delivers what others have left while this thread had the serializer's turn.
  @usableFromInline func deliverBacklog() {}

  /// Whether nobody will get what is sent from now on.
  final var isEmpty: Bool { state.withLock { !$0.isOpen || $0.listeners.isEmpty } }

  /// The key of the newest listener, `nil` where the roster is closed: what is sent now is for listeners up to that key.
  @usableFromInline final var newestKey: Int? { state.withLock { $0.isOpen ? $0.nextKey : nil } }

  /// Adds a listener; `nil` where the roster is closed.
  @usableFromInline final func add(_ listener: Listener) -> (any Disposable)? {
    let key: Int? = state.withLock { state in
      guard state.isOpen else { return nil }
      state.nextKey += 1
      listener.key = state.nextKey
      state.listeners.append(listener)
      return state.nextKey
    }
    guard let key else { return nil }
    hasChanged.store(true, ordering: .releasing)
    return Membership(key, of: self)
  }

  fileprivate final func remove(_ key: Int) {
    let removed = state.withLock { state -> Listener? in
      guard let index = state.listeners.index(of: key, key: { $0.key }) else { return nil }
      return state.listeners.remove(at: index)
    }
    if removed == nil { return }
    hasChanged.store(true, ordering: .releasing)
    forget()
    // Released here, outside of the lock, since that may run user code.
    _ = removed
  }

  /// Lets nobody join any more; who has joined stays until `takeAll()`, since what was sent before is still to be delivered.
  final func close() {
    state.withLock { $0.isOpen = false }
    hasChanged.store(true, ordering: .releasing)
  }

  /// Empties the list; called in the serializer's turn.
  @usableFromInline final func takeAll() -> [Listener] {
    dismiss()
    return state.withLock { state in
      defer { state.listeners = [] }
      return state.listeners
    }
  }

  /// Lets go of the copy of the list, as soon as nobody delivers from it: who has left must not be kept alive, nor what
  /// keeps this subject alive in turn.
  final func forget() {
    guard serializer.takeTurn() else { return forgetLater() }
    dismiss()
    if !serializer.endTurn() { deliverBacklog() }
  }

  /// Copies the list, which counts as empty where the roster is closed; called in the serializer's turn.
  @usableFromInline final func refresh() {
    hasChanged.store(false, ordering: .relaxed)
    audience.replace(with: state.withLock { $0.isOpen ? $0.listeners : [] })
  }

  /// Copies the list for an event that was sent earlier, perhaps before the roster was closed; called in the serializer's turn.
  @usableFromInline final func refreshForBacklog() {
    hasChanged.store(false, ordering: .relaxed)
    let (listeners, isOpen) = state.withLock { ($0.listeners, $0.isOpen) }
    audience.replace(with: listeners)
    // What is sent to a closed roster must not find this copy.
    if !isOpen { hasChanged.store(true, ordering: .relaxed) }
  }

  /// Lets go of the copy; called in the serializer's turn.
  @usableFromInline final func dismiss() {
    hasChanged.store(true, ordering: .relaxed)
    audience.replace(with: [])
  }
}

/// Somebody who listens to a subject.
@usableFromInline class Listener {
  #if TRACE_RESOURCES
    private let trace = ResourceTrace()
  #endif

  // Set once, before others see it; grows from one listener to the next.
  @usableFromInline final var key = 0

  @usableFromInline init() {}
}

/// Listeners to call one after the other, without counting references at each event as an array would.
@usableFromInline struct Audience {
  @usableFromInline var listeners = UnsafeMutableBufferPointer<Unmanaged<Listener>>(start: nil, count: 0)

  mutating func replace(with others: [Listener]) {
    let former = listeners
    if former.isEmpty && others.isEmpty { return }
    // Room for none would be memory as well, and nobody would free it.
    listeners = others.isEmpty ? .init(start: nil, count: 0) : .allocate(capacity: others.count)
    _ = listeners.initialize(fromContentsOf: others.map { Unmanaged.passRetained($0) })
    for listener in former { listener.release() }
    former.deallocate()
  }
}

/// Ends the membership of one listener.
// A value that fits into `any Disposable`, which needs no memory then.
private struct Membership: Disposable {
  private let key: Int
  private let roster: Roster

  init(_ key: Int, of roster: Roster) {
    self.key = key
    self.roster = roster
  }

  func dispose() {
    roster.remove(key)
  }
}
