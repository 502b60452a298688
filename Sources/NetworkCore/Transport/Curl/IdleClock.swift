/// The transfers on the wire, ordered by when each can have taken too long.
///
/// A binary heap whose keys may lag behind: bytes that come and go put a transfer's deadline off without touching the
/// heap, as does the end of the wait for an answer, and a key that turns out to be early is put right when its time comes. So the first key is never later than
/// the first deadline, and nobody has to look at every transfer.
struct IdleClock {
  private struct Entry {
    var due: UInt64
    let transfer: CurlTransfer
  }

  private var heap: [Entry] = []

  /// When to call `removeExpired(now:)` next, in nanoseconds of the loop's clock.
  var nextLook: UInt64 { heap.first?.due ?? .max }

  /// Any transfer that is left.
  var last: CurlTransfer? { heap.last?.transfer }

  /// Some transfer that fulfils a condition.
  func first(where condition: (CurlTransfer) -> Bool) -> CurlTransfer? {
    heap.first { condition($0.transfer) }?.transfer
  }

  /// Takes in a transfer that begins.
  mutating func insert(_ transfer: CurlTransfer) {
    let entry = Entry(due: transfer.deadline, transfer: transfer)
    heap.append(entry)
    moveUp(entry, from: heap.count - 1)
  }

  /// Lets go of a transfer, if it is there.
  mutating func remove(_ transfer: CurlTransfer) {
    guard let index = transfer.index.take(), let moved = heap.popLast(), index < heap.count else { return }
    if moved.due < heap[index].due { moveUp(moved, from: index) } else { moveDown(moved, from: index) }
  }

  /// Lets go of what has taken too long, and returns it with the limit that it has passed.
  mutating func removeExpired(now: UInt64) -> [(CurlTransfer, TransferTimeout)] {
    var expired: [(CurlTransfer, TransferTimeout)] = []
    while let first = heap.first, first.due <= now {
      let transfer = first.transfer
      if let timeout = transfer.limitPassed(now: now) {
        remove(transfer)
        expired.append((transfer, timeout))
      } else {
        moveDown(Entry(due: transfer.deadline, transfer: transfer), from: 0)
      }
    }
    return expired
  }

  private mutating func moveUp(_ entry: Entry, from start: Int) {
    var index = start
    while index > 0 {
      let parent = (index - 1) / 2
      guard entry.due < heap[parent].due else { break }
      put(heap[parent], at: index)
      index = parent
    }
    put(entry, at: index)
  }

  private mutating func moveDown(_ entry: Entry, from start: Int) {
    var index = start
    while true {
      var child = 2 * index + 1
      guard child < heap.count else { break }
      if child + 1 < heap.count, heap[child + 1].due < heap[child].due { child += 1 }
      guard heap[child].due < entry.due else { break }
      put(heap[child], at: index)
      index = child
    }
    put(entry, at: index)
  }

  private mutating func put(_ entry: Entry, at index: Int) {
    heap[index] = entry
    entry.transfer.index = index
  }
}
