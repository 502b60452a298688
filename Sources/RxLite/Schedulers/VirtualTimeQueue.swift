/// The actions waiting in a virtual time scheduler: a binary heap, the earliest first, equal times in the order added.
struct VirtualTimeQueue<Time> {
  struct Entry {
    let time: Time
    let id: Int
    let action: ScheduledAction
  }

  private let isBefore: (Time, Time) -> Bool
  private var heap: [Entry] = []
  private var nextID = 0

  /// - Parameter isBefore: tells whether one time lies strictly before another.
  init(isBefore: @escaping (Time, Time) -> Bool) {
    self.isBefore = isBefore
  }

  /// What is still to run, the earliest first.
  var pending: [Entry] {
    heap.filter { !$0.action.isDisposed }.sorted(by: precedes)
  }

  /// The earliest entry that was not taken back; drops those that were.
  mutating func first() -> Entry? {
    while let first = heap.first {
      guard first.action.isDisposed else { return first }
      removeFirst()
    }
    return nil
  }

  mutating func insert(_ action: ScheduledAction, at time: Time) {
    heap.append(Entry(time: time, id: nextID, action: action))
    nextID += 1
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard precedes(heap[child], heap[parent]) else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  mutating func removeFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while true {
      var earliest = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
        if precedes(heap[child], heap[earliest]) { earliest = child }
      }
      guard earliest != parent else { return }
      heap.swapAt(parent, earliest)
      parent = earliest
    }
  }

  private func precedes(_ lhs: Entry, _ rhs: Entry) -> Bool {
    if isBefore(lhs.time, rhs.time) { return true }
    return lhs.id < rhs.id && !isBefore(rhs.time, lhs.time)
  }
}
