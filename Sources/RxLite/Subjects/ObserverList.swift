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
  }

  private let state = Lock(State())
  @usableFromInline final let hasChanged = Atomic(false)
  private let isReleaseRequested = Atomic(false)
  @usableFromInline final let serializer = DeliverySerializer()
  // Used only in the serializer's turn; this makes the class Sendable.
  @exclusivity(unchecked) @usableFromInline final var snapshot = ObserverSnapshot()

  @usableFromInline init() {}

  deinit {
    snapshot.replace(with: [])
  }

  /// Asks the delivering thread to release the copy of the list.
  @usableFromInline func releaseSnapshotLater() {}

  /// Delivers the messages that other threads queued while this thread had the serializer's turn.
  @usableFromInline func deliverBacklog() {}

  /// `true` if no observer will get the next event.
  final var isEmpty: Bool { state.withLock { !$0.isOpen || $0.observers.isEmpty } }

  /// The key of the newest observer, `nil` if the list is closed.
  ///
  /// An event that is sent now is for observers up to that key.
  @usableFromInline final var newestKey: Int? {
    state.withLock { $0.isOpen ? $0.observers.newestNumber : nil }
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
    releaseSnapshotWhenIdle()
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
    releaseSnapshot()
    return state.withLock { $0.observers.removeAll() }.compactMap(\.element)
  }

  /// Releases the copy of the list as soon as no thread delivers from it.
  ///
  /// The copy would keep removed observers alive, and they may keep the subject alive.
  final func releaseSnapshotWhenIdle() {
    guard serializer.takeTurn() else {
      // One request is enough for all observers that are removed during a delivery.
      if !isReleaseRequested.exchange(true, ordering: .acquiringAndReleasing) { releaseSnapshotLater() }
      return
    }
    releaseSnapshot()
    if !serializer.endTurn() { deliverBacklog() }
  }

  /// Copies the list, which counts as empty if it is closed.
  ///
  /// Called in the serializer's turn.
  @usableFromInline final func refresh() {
    hasChanged.store(false, ordering: .relaxed)
    snapshot.replace(with: state.withLock { $0.isOpen ? $0.observers.slots : [] })
  }

  /// Copies the list for an event that was sent earlier, perhaps before the list was closed.
  ///
  /// Called in the serializer's turn.
  @usableFromInline final func refreshForBacklog() {
    hasChanged.store(false, ordering: .relaxed)
    let (observers, isOpen) = state.withLock { ($0.observers.slots, $0.isOpen) }
    snapshot.replace(with: observers)
    // Events that are sent to a closed list must not find this copy.
    if !isOpen { hasChanged.store(true, ordering: .relaxed) }
  }

  /// Releases the copy of the list.
  ///
  /// Called in the serializer's turn.
  @usableFromInline final func releaseSnapshot() {
    isReleaseRequested.store(false, ordering: .releasing)
    hasChanged.store(true, ordering: .relaxed)
    snapshot.replace(with: [])
  }
}

/// The observers to notify, with their keys.
///
/// Unlike with an array, an event does not cost reference counting.
@usableFromInline struct ObserverSnapshot {
  @usableFromInline typealias Member = (key: Int, observer: Unmanaged<SubjectObserver>)

  @usableFromInline var observers = UnsafeMutableBufferPointer<Member>(start: nil, count: 0)

  mutating func replace(with others: ContiguousArray<Queue<SubjectObserver>.Slot>) {
    let former = observers
    if former.isEmpty && others.isEmpty { return }
    let members = others.compactMap { slot in slot.element.map { (slot.number, Unmanaged.passRetained($0)) } }
    // An allocation for no elements takes memory too, and the early return above would leak it.
    observers = members.isEmpty ? .init(start: nil, count: 0) : .allocate(capacity: members.count)
    _ = observers.initialize(fromContentsOf: members)
    for member in former { member.observer.release() }
    former.deallocate()
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
