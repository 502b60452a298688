import ReactiveNetworkLock
public import Synchronization

/// The observers of a subject, and the copy of the list that a delivery iterates over.
///
/// Delivery takes no lock: the delivering thread uses the copy, and reads the list behind the lock only if a
/// flag says that it has changed. Nothing here depends on the element type, so adding and removing observers
/// needs no generic code.
@usableFromInline class ObserverList: @unchecked Sendable {
  private struct State {
    var observers = Queue<SubjectObserver>()
    var isOpen = true
    /// Whether all observers leave after the pending events.
    var isOver = false
  }

  private let state = Lock(State())
  @usableFromInline final let hasChanged = Atomic(false)
  private let isReleaseRequested = Atomic(false)
  /// Counts the elements that have to wait.
  @usableFromInline final let counter = ElementCounter()
  @usableFromInline final let serializer = DeliverySerializer()
  // Used only in the serializer's turn or while it is paused; this makes the class Sendable.
  @exclusivity(unchecked) @usableFromInline final var snapshot = ObserverSnapshot()

  @usableFromInline init() {}

  deinit {
    snapshot.release()
  }

  /// `true` if no observer will get the next event.
  final var isEmpty: Bool { state.withLock { !$0.isOpen || $0.observers.isEmpty } }

  /// Runs an action with the key of the newest observer; returns `nil` if the list is closed.
  ///
  /// The list cannot be closed meanwhile, so an event that the action queues comes before the end. The action runs no
  /// user code.
  @usableFromInline final func whileOpen<Result>(_ action: (_ newest: Int) -> Result) -> Result? {
    state.withLock { $0.isOpen ? action($0.observers.newestNumber) : nil }
  }

  /// Adds an observer.
  ///
  /// Returns `nil` if the list is closed.
  @usableFromInline final func add(_ observer: SubjectObserver) -> (any Disposable)? {
    let key: Int? = state.withLock { state in state.isOpen ? state.observers.append(observer) : nil }
    guard let key else { return nil }
    hasChanged.store(true, ordering: .releasing)
    return ObserverRemoval(key, of: self)
  }

  fileprivate final func remove(_ key: Int) {
    let removed = state.withLock { $0.observers.remove(key) }
    if removed == nil { return }
    hasChanged.store(true, ordering: .releasing)
    releaseUnneededWhenIdle()
    // Released here, outside the lock, because that may run user code.
    _ = removed
  }

  /// Closes the list to new observers.
  ///
  /// The present ones stay until `takeAll()`, because pending events are still delivered to them.
  final func close() {
    state.withLock { $0.isOpen = false }
    hasChanged.store(true, ordering: .releasing)
  }

  /// Removes and returns all observers.
  ///
  /// Called in the serializer's turn.
  @usableFromInline final func takeAll() -> [SubjectObserver] {
    let all = take(allObservers: true)
    all.snapshot.release()
    return all.observers.compactMap(\.element)
  }

  /// Closes the list, and removes all observers as soon as pending events are delivered.
  final func removeAll() {
    state.withLock { ($0.isOpen, $0.isOver) = (false, true) }
    releaseUnneededWhenIdle()
  }

  /// Releases the copy of the list, and the observers of one that is over, as soon as no thread delivers to them.
  ///
  /// The copy would keep removed observers alive, and they may keep the subject alive. One request is enough for
  /// all observers that are removed during a delivery.
  private func releaseUnneededWhenIdle() {
    if isReleaseRequested.exchange(true, ordering: .acquiringAndReleasing) { return }
    // Released here and not while senders wait, because that may run user code.
    serializer.whileIdle {
      let isOver = isOver
      // A thread that has queued an event, and is about to deliver it, releases the observers afterwards.
      return isOver && serializer.hasBacklog ? nil : take(allObservers: isOver)
    }??.snapshot.release()
  }

  /// Releases what is no longer needed if that was asked for during the turn.
  ///
  /// Called in the serializer's turn.
  @usableFromInline final func releaseUnneededIfRequested() {
    // An exchange, because a load could run before the serializer's state is visible, and a thread that asks
    // meanwhile would rely on it.
    guard isReleaseRequested.exchange(false, ordering: .acquiringAndReleasing) else { return }
    // Read before the backlog, which then has all events that were sent before the list was over.
    let isOver = isOver
    // The turn does not end before those events are delivered, and this is called again then.
    if isOver, serializer.hasBacklog { return isReleaseRequested.store(true, ordering: .releasing) }
    take(allObservers: isOver).snapshot.release()
  }

  private var isOver: Bool { state.withLock { $0.isOver } }

  /// Takes the copy of the list, and all observers if that is asked for.
  private func take(allObservers: Bool) -> (
    snapshot: ObserverSnapshot, observers: ContiguousArray<Queue<SubjectObserver>.Slot>
  ) {
    // Withdrawn before the list is locked, so that the request of a change after that remains.
    isReleaseRequested.store(false, ordering: .releasing)
    hasChanged.store(true, ordering: .relaxed)
    let observers = state.withLock { allObservers ? $0.observers.removeAll() : [] }
    return (snapshot.take(), observers)
  }

  /// Copies the list.
  ///
  /// Called in the serializer's turn.
  ///
  /// - Parameter isForBacklog: whether the copy is for an event that was sent earlier, perhaps before the list was
  ///   closed. Otherwise a closed list counts as empty.
  @usableFromInline final func refresh(isForBacklog: Bool = false) {
    hasChanged.store(false, ordering: .relaxed)
    let (observers, isOpen) = state.withLock { ($0.observers.slots, $0.isOpen) }
    snapshot.replace(with: isOpen || isForBacklog ? observers : [])
    // Of a closed list, the next event may need the other copy.
    if !isOpen { hasChanged.store(true, ordering: .relaxed) }
  }
}

/// The observers to notify, with their keys.
///
/// Unlike with an array, an event does not cost reference counting.
@usableFromInline struct ObserverSnapshot {
  @usableFromInline typealias Member = (key: Int, observer: Unmanaged<SubjectObserver>)

  @usableFromInline var observers = UnsafeMutableBufferPointer<Member>(start: nil, count: 0)

  mutating func replace(with others: ContiguousArray<Queue<SubjectObserver>.Slot>) {
    let former = take()
    let members = others.compactMap { slot in slot.element.map { (slot.number, Unmanaged.passRetained($0)) } }
    if !members.isEmpty {
      observers = .allocate(capacity: members.count)
      _ = observers.initialize(fromContentsOf: members)
    }
    former.release()
  }

  /// Leaves an empty copy, and returns the former one, which the caller releases.
  mutating func take() -> ObserverSnapshot { exchange(&self, with: ObserverSnapshot()) }

  func release() {
    for member in observers { member.observer.release() }
    observers.deallocate()
  }
}

/// A disposable that removes one observer from the list.
///
/// It is a struct that fits into `any Disposable` without an allocation.
private struct ObserverRemoval: Disposable {
  private let key: Int
  private let list: ObserverList

  init(_ key: Int, of list: ObserverList) {
    self.key = key
    self.list = list
  }

  func dispose() {
    list.remove(key)
  }
}
