import Foundation
import ReactiveNetworkLock

/// The keys that mask the frames of all WebSockets, which the system creates many at a time: a call of the
/// system for each would take a quarter of the sender's time.
///
/// They are unpredictable, so that a page cannot choose the bytes on the wire (RFC 6455, section 10.3).
enum WebSocketMaskingKeys {
  /// The largest number of bytes that `getentropy` returns.
  private static let batchSize = 256

  private static let unused = Lock([UInt32]())

  /// Returns the next key.
  static func next() -> UInt32 {
    unused.withLock { keys in
      if keys.isEmpty { keys = batch() }
      return keys.popLast() ?? UInt32.random(in: 0...UInt32.max)
    }
  }

  private static func batch() -> [UInt32] {
    [UInt32](unsafeUninitializedCapacity: batchSize / 4) { buffer, count in
      guard let start = buffer.baseAddress, getentropy(start, batchSize) == 0 else { return }
      count = buffer.count
    }
  }
}
