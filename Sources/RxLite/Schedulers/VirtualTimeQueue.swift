/// The pending actions of a virtual-time scheduler: a binary heap, earliest first, equal times in the order
/// of insertion.
///
/// The heap orders small keys that refer to slots. Times and actions stay in their slots: moving them would
/// cost more than everything else, because this code cannot be specialised for the type of the times.
struct VirtualTimeQueue<Time> {
  struct Entry {
    let time: Time
    let action: ScheduledAction
  }

  private let isBefore: (Time, Time) -> Bool
  private var heap: ContiguousArray<HeapKey> = []
  private var times: ContiguousArray<Time> = []
  private var actions: ContiguousArray<ScheduledAction?> = []
  private var freeSlots: ContiguousArray<Int> = []
  private var nextID = 0
  /// The number of entries at which cancelled ones are removed.
  private var purgeCount = 64

  /// - Parameter isBefore: returns whether the first time is strictly before the second.
  init(isBefore: @escaping (Time, Time) -> Bool) {
    self.isBefore = isBefore
  }

  /// The pending entries, earliest first.
  var pending: [Entry] {
    heap.sorted(by: order).compactMap(entry).filter { !$0.action.isDisposed }
  }

  /// Returns the earliest entry that was not cancelled, and drops cancelled ones before it.
  mutating func first() -> Entry? {
    while let first = heap.first.flatMap(entry) {
      guard first.action.isDisposed else { return first }
      removeFirst()
    }
    return nil
  }

  mutating func insert(_ action: ScheduledAction, at time: Time) {
    if heap.count >= purgeCount { removeCancelled() }
    let slot: Int
    if let free = freeSlots.popLast() {
      slot = free
      times[slot] = time
      actions[slot] = action
    } else {
      slot = times.count
      times.append(time)
      actions.append(action)
    }
    let key = HeapKey(id: nextID, slot: slot)
    nextID += 1
    heap.append(key)
    moveUp(key, from: heap.count - 1, order)
  }

  mutating func removeFirst() {
    actions[heap[0].slot] = nil
    freeSlots.append(heap[0].slot)
    let last = heap.removeLast()
    guard !heap.isEmpty else { return }
    // The last key usually belongs near the bottom. So the gap at the top moves down to the bottom without
    // comparisons with this key, which saves half of them, and the key moves up from there.
    let precedes = order
    var gap = 0
    while 2 * gap + 2 < heap.count {
      let (left, right) = (2 * gap + 1, 2 * gap + 2)
      let child = precedes(heap[right], heap[left]) ? right : left
      heap[gap] = heap[child]
      gap = child
    }
    if 2 * gap + 1 < heap.count {
      heap[gap] = heap[2 * gap + 1]
      gap = 2 * gap + 1
    }
    moveUp(last, from: gap, precedes)
  }

  /// Removes the cancelled entries.
  ///
  /// It runs again when the number of entries has doubled, so that each entry is checked once on average.
  private mutating func removeCancelled() {
    var kept: ContiguousArray<HeapKey> = []
    for key in heap {
      if actions[key.slot]?.isDisposed ?? true {
        actions[key.slot] = nil
        freeSlots.append(key.slot)
      } else {
        kept.append(key)
      }
    }
    // A sorted array is a heap.
    if kept.count < heap.count { heap = ContiguousArray(kept.sorted(by: order)) }
    purgeCount = Swift.max(64, heap.count * 2)
  }

  /// Puts a key into a gap, and moves it up past the keys that it precedes.
  private mutating func moveUp(_ key: HeapKey, from gap: Int, _ precedes: (HeapKey, HeapKey) -> Bool) {
    var gap = gap
    while gap > 0 {
      let parent = (gap - 1) / 2
      guard precedes(key, heap[parent]) else { break }
      heap[gap] = heap[parent]
      gap = parent
    }
    heap[gap] = key
  }

  /// A closure that returns whether the first key precedes the second.
  ///
  /// It captures the times, so that no copy of the queue is needed.
  private var order: (HeapKey, HeapKey) -> Bool {
    let (times, isBefore) = (times, isBefore)
    return { lhs, rhs in
      if isBefore(times[lhs.slot], times[rhs.slot]) { return true }
      return lhs.id < rhs.id && !isBefore(times[rhs.slot], times[lhs.slot])
    }
  }

  private func entry(_ key: HeapKey) -> Entry? {
    actions[key.slot].map { Entry(time: times[key.slot], action: $0) }
  }
}

private struct HeapKey {
  let id: Int
  let slot: Int
}
