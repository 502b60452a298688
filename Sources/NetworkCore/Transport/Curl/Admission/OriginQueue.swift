/// What is known of an origin, and the requests to it that wait until libcurl may have them, the oldest first.
///
/// Used on the loop's thread only.
final class OriginQueue {
  @exclusivity(unchecked) var admission: OriginAdmission
  /// Whether the table knows that something has changed since it last looked here.
  var isChanged = false
  /// Those that have left in between are `nil`.
  private var waiting: [CurlTransfer?] = []
  private var first = 0
  private var count = 0

  init(_ admission: OriginAdmission) {
    self.admission = admission
  }

  var isEmpty: Bool { count == 0 }

  func append(_ transfer: CurlTransfer) {
    transfer.place.index = waiting.count
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
    waiting[transfer.place.index] = nil
    count -= 1
  }

  /// Lets go of the room of those that have left, if that is more than half.
  func compact() {
    guard waiting.count > 2 * count + 64 else { return }
    waiting = waiting[first...].filter { $0 != nil }
    first = 0
    for (index, transfer) in waiting.enumerated() { transfer?.place.index = index }
  }
}

/// Where a transfer stands in the queue of its origin.
struct OriginPlace {
  /// `nil` for a transfer that does not have to wait for others.
  var queue: OriginQueue?
  /// Whether it waits until libcurl may have it; otherwise libcurl has it.
  var isWaiting = false
  /// Where it waits.
  var index = 0
  /// When it began to wait, as long as it has no connection, in nanoseconds of the loop's clock; `nil` if it has not waited.
  var start: UInt64?
  /// The generation that it was admitted in.
  var generation = 0
  /// Whether it has a connection.
  var isSent = false
  /// The last socket that was opened for it.
  var socket: CInt?
}
