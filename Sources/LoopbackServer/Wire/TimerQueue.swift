/// Deadlines, earliest first, in a binary heap.
///
/// Entries cannot be cancelled; the connection checks by the pause number whether a timer still applies.
struct TimerQueue {
  struct Entry {
    var deadline: UInt64
    var connection: Int
    var pause: Int
  }

  private var heap: [Entry] = []

  var nextDeadline: UInt64? { heap.first?.deadline }

  mutating func add(_ entry: Entry) {
    var child = heap.count
    heap.append(entry)
    while child > 0, case let parent = (child - 1) / 2, heap[child].deadline < heap[parent].deadline {
      heap.swapAt(child, parent)
      child = parent
    }
  }

  /// Removes and returns the earliest entry if it is due.
  mutating func popDue(at now: UInt64) -> Entry? {
    guard let first = heap.first, first.deadline <= now else { return nil }
    let last = heap.removeLast()
    guard !heap.isEmpty else { return first }
    heap[0] = last
    var parent = 0
    while true {
      let left = 2 * parent + 1
      guard left < heap.count else { return first }
      let right = left + 1
      let child = right < heap.count && heap[right].deadline < heap[left].deadline ? right : left
      guard heap[child].deadline < heap[parent].deadline else { return first }
      heap.swapAt(child, parent)
      parent = child
    }
  }
}
