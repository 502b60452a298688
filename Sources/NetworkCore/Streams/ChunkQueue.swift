import struct Foundation.Data

/// A queue of chunks, with their total number of bytes.
struct ChunkQueue {
  private(set) var count = 0
  private var chunks: [Data?] = []
  /// The number of entries at the start of `chunks` whose chunks have been removed.
  private var taken = 0

  mutating func append(_ chunk: Data) {
    chunks.append(chunk)
    count += chunk.count
  }

  mutating func removeFirst() -> Data? {
    guard taken < chunks.count, let chunk = chunks[taken].take() else { return nil }
    taken += 1
    count -= chunk.count
    if taken == chunks.count {
      chunks.removeAll(keepingCapacity: true)
      taken = 0
    } else if taken >= 64, taken * 2 >= chunks.count {
      // Without this, a queue that is never empty would grow without limit.
      chunks.removeFirst(taken)
      taken = 0
    }
    return chunk
  }
}
