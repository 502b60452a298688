/// The active transfers, ordered by their deadlines.
///
/// A binary heap whose keys may be out of date: traffic, and the first byte of a response, postpone a
/// transfer's deadline without touching the heap. A key that turns out to be early is corrected when its time
/// comes. So the first key is never later than the first deadline, and no pass over all transfers is needed.
struct DeadlineHeap {
  private struct Entry {
    var due: UInt64
    let transfer: CurlTransfer
  }

  private var heap: [Entry] = []

  /// The next time to call `removeExpired(now:)`, in nanoseconds of the loop's clock.
  var nextCheck: UInt64 { heap.first?.due ?? .max }

  var isEmpty: Bool { heap.isEmpty }

  /// The transfers, in no particular order.
  var transfers: some BidirectionalCollection<CurlTransfer> { heap.lazy.map(\.transfer) }

  /// Adds a transfer that begins.
  mutating func insert(_ transfer: CurlTransfer) {
    let entry = Entry(due: transfer.deadline, transfer: transfer)
    heap.append(entry)
    moveUp(entry, from: heap.count - 1)
  }

  /// Removes a transfer, if it is present.
  mutating func remove(_ transfer: CurlTransfer) {
    guard let index = transfer.index.take(), let moved = heap.popLast(), index < heap.count else { return }
    if moved.due < heap[index].due { moveUp(moved, from: index) } else { moveDown(moved, from: index) }
  }

  /// Moves a transfer whose deadline is now earlier than before.
  mutating func advance(_ transfer: CurlTransfer) {
    remove(transfer)
    insert(transfer)
  }

  /// Removes the transfers that have exceeded a limit, and returns each with that limit.
  mutating func removeExpired(now: UInt64) -> [(CurlTransfer, TransferTimeout)] {
    var expired: [(CurlTransfer, TransferTimeout)] = []
    while let first = heap.first, first.due <= now {
      let transfer = first.transfer
      if let timeout = transfer.checkLimits(now: now) {
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
