import struct Foundation.Data

/// Chunks in the order in which they came, and how many bytes they have.
struct ChunkQueue {
  private(set) var count = 0
  private var chunks: [Data?] = []
  /// How many of the chunks have been taken.
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
      // A queue that is never empty must not keep the places of all that it has had.
      chunks.removeFirst(taken)
      taken = 0
    }
    return chunk
  }
}
