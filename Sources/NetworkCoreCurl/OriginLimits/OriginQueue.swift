/// The limiter of an origin, and the requests to it that wait, oldest first.
///
/// Used on the loop's thread only.
final class OriginQueue {
  @exclusivity(unchecked) var limiter: OriginRequestLimiter
  /// Whether the queue is in the table's list of changed queues.
  var isChanged = false
  /// The waiting requests from `first` on; `nil` for removed ones.
  private var waiting: [CurlTransfer?] = []
  private var first = 0
  private var count = 0

  init(_ limiter: OriginRequestLimiter) {
    self.limiter = limiter
  }

  var isEmpty: Bool { count == 0 }

  func append(_ transfer: CurlTransfer) {
    transfer.queuePosition.index = waiting.count
    waiting.append(transfer)
    count += 1
  }

  func popFirst() -> CurlTransfer? {
    while first < waiting.count {
      defer { first += 1 }
      guard let transfer = waiting[first] else { continue }
      remove(transfer)
      return transfer
    }
    return nil
  }

  func remove(_ transfer: CurlTransfer) {
    waiting[transfer.queuePosition.index] = nil
    count -= 1
  }

  /// Frees the room of removed requests if they take more than half.
  func compact() {
    guard waiting.count > 2 * count + 64 else { return }
    waiting = waiting[first...].filter { $0 != nil }
    first = 0
    for (index, transfer) in waiting.enumerated() { transfer?.queuePosition.index = index }
  }
}

/// The position of a transfer in the queue of its origin.
struct OriginQueuePosition {
  /// `nil` for a transfer that never waits for others.
  var queue: OriginQueue?
  /// Whether the transfer waits; otherwise libcurl handles it.
  var isWaiting = false
  /// The index in the queue.
  var index = 0
  /// The start of its wait in nanoseconds of the loop's clock, until it has a connection; `nil` if it did not
  /// wait.
  var start: UInt64?
  /// The generation in which it was admitted.
  var generation = 0
  /// Whether the transfer has a connection.
  var isSent = false
  /// The last socket that libcurl opened for it.
  var socket: CInt?
}
