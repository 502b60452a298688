internal import Foundation

/// The events of a transfer that have not been delivered to its receiver.
struct PendingEvents {
  /// The result of a transfer.
  struct End {
    let error: TransferError?
  }

  var sent: (count: Int64, total: Int64?)?
  var head: ResponseHead?
  var body: Data?
  var metrics: TransferMetrics?
  var end: End?

  var isEmpty: Bool { sent == nil && head == nil && body == nil && metrics == nil && end == nil }

  /// Adds to the body; `bytes` is not empty.
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let count = body?.count else { return body = Data(bytes) }
    // Reserves memory at once for a body that seems to be long: growing step by step would fragment the heap.
    if count >= CurlTransport.longBody {
      body?.reserveCapacity(CurlTransport.deliveryLimit + CurlTransport.longBody)
    }
    body?.append(contentsOf: bytes)
  }

  /// Merges later events into these, and empties `later`.
  mutating func merge(_ later: inout PendingEvents) {
    guard !isEmpty else { return swap(&self, &later) }
    if let sent = later.sent.take() { self.sent = sent }
    if let head = later.head.take() { self.head = head }
    if let body = later.body.take() {
      if self.body == nil { self.body = body } else { self.body?.append(body) }
    }
    if let metrics = later.metrics.take() { self.metrics = metrics }
    if let end = later.end.take() { self.end = end }
  }

  /// Returns the event to deliver next; `nil` if none may be delivered now.
  ///
  /// After a cancellation, only the end is delivered. While the receiver has paused, it gets no more of the
  /// body, and no end that reports success.
  mutating func next(isCancelled: Bool, isPaused: Bool) -> TransferEvent? {
    if isCancelled { (sent, head, body, metrics) = (nil, nil, nil, nil) }
    if let sent = sent.take() { return .sent(sent.count, of: sent.total) }
    if let head = head.take() { return .head(head) }
    if body != nil {
      guard !isPaused || end?.error != nil else { return nil }
      if let body = body.take() { return .body(body) }
    }
    if let metrics = metrics.take() { return .metrics(metrics) }
    return end.take().map { .finished(isCancelled ? .cancelled : $0.error) }
  }
}
