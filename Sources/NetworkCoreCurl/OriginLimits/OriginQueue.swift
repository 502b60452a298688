internal import ReactiveNetworkLock

/// The limiter of an origin, and the requests to it that wait, oldest first.
///
/// Used on the loop's thread only.
final class OriginQueue {
  @exclusivity(unchecked) var limiter: OriginRequestLimiter
  /// Whether the queue is in the table's list of changed queues.
  var isChanged = false
  /// Has no limit, because only callers add requests, which end with their time limits.
  @exclusivity(unchecked) var waiting = Queue<CurlTransfer>()

  init(_ limiter: OriginRequestLimiter) {
    self.limiter = limiter
  }

  /// Whether forgetting the origin would lose only its protocol.
  var isIdle: Bool { limiter.isIdle && waiting.isEmpty }
}

/// The position of a transfer in the queue of its origin.
struct OriginQueuePosition {
  /// `nil` for a transfer that never waits for others.
  var queue: OriginQueue?
  /// The number in the queue; `nil` if the transfer does not wait, because libcurl handles it.
  var number: Int?
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
