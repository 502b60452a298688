/// Counts the removals of stored responses by their URL.
///
/// URLs with equal digests share one of a fixed number of counts, so that the counts need no removal of their
/// own. A removal for one of them then keeps a response to another from being stored, which is harmless.
struct RemovalCounts {
  private var all: UInt64 = 0
  private var counts = [UInt64](repeating: 0, count: 256)

  func count(for url: String) -> UInt64 { all + counts[place(of: url)] }

  mutating func add(for url: String) { counts[place(of: url)] += 1 }

  mutating func addForAll() { all += 1 }

  private func place(of url: String) -> Int { Int(FNV1a.hash(url.utf8) % UInt64(counts.count)) }
}
