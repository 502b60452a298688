internal import Foundation

/// What has happened to a transfer inside libcurl, until its receiver is told of it.
struct UndeliveredEvents {
  var sent: Int64?
  var head: ResponseHead?
  var body: Data?
  var metrics: TransferMetrics?

  /// Adds to the body; `bytes` is not empty.
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let count = body?.count else { return body = Data(bytes) }
    // All at once for what looks like a long body: growing bit by bit would leave holes in the heap.
    if count >= CurlTransport.longBody {
      body?.reserveCapacity(CurlTransport.deliveryLimit + CurlTransport.longBody)
    }
    body?.append(contentsOf: bytes)
  }
}
