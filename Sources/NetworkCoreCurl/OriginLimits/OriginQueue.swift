internal import ReactiveNetworkLock

/// The limiter of an origin, and the requests to it that wait, oldest first.
///
/// Used on the loop's thread only.
final class OriginQueue {
  @exclusivity(unchecked) var limiter: OriginRequestLimiter
  /// Whether the queue is in the table's list of changed queues.
  var isChanged = false
  @exclusivity(unchecked) private var new = Queue<CurlTransfer>()
  /// The requests that have been sent before, which come first.
  @exclusivity(unchecked) private var retried = Queue<CurlTransfer>()

  init(_ limiter: OriginRequestLimiter) {
    self.limiter = limiter
  }

  /// Whether no request waits.
  var isEmpty: Bool { new.isEmpty && retried.isEmpty }

  /// Whether forgetting the origin would lose only what is known of its server.
  var isIdle: Bool { limiter.isIdle && isEmpty }

  func append(_ transfer: CurlTransfer, isRetry: Bool) -> OriginQueuePosition.Place {
    .init(number: isRetry ? retried.append(transfer) : new.append(transfer), isRetry: isRetry)
  }

  func popFirst() -> CurlTransfer? { retried.popFirst() ?? new.popFirst() }

  func remove(_ place: OriginQueuePosition.Place) {
    _ = place.isRetry ? retried.remove(place.number) : new.remove(place.number)
  }
}

/// The position of a transfer in the queue of its origin.
struct OriginQueuePosition {
  /// The place of a waiting transfer.
  struct Place {
    let number: Int
    let isRetry: Bool
  }

  /// `nil` for a transfer that never waits for others, and for one whose server has left the connection.
  var queue: OriginQueue?
  /// `nil` if the transfer does not wait, because libcurl handles it.
  var place: Place?
  /// The start of its wait in nanoseconds of the loop's clock, until it has a connection; `nil` if it did not
  /// wait.
  var start: UInt64?
  /// The generation in which it was admitted.
  var generation = 0
  /// Whether the transfer must not wait for connections that are opening.
  var opensConnection = false
  /// Whether the transfer has a connection.
  var isSent = false
  /// Whether the transfer must return to the queue, because no connection may be opened for it now.
  var isDenied = false
  /// Whether it has returned, which happens only once, because libcurl may rightly find no room.
  var hasReturned = false
  /// The last socket that libcurl opened for it.
  var socket: CInt?
}
