import Foundation

/// The latest latencies, in seconds, and their percentiles.
///
/// Adding a latency moves at most `capacity` numbers in memory. A percentile takes constant time.
struct RecentLatencies {
  private let capacity: Int
  /// The latencies in the order of arrival.
  ///
  /// Once the ring is full, the next latency replaces that at `oldest`.
  private var ring: [TimeInterval] = []
  private var oldest = 0
  private var sorted: [TimeInterval] = []

  init(capacity: Int) {
    self.capacity = max(1, capacity)
  }

  var count: Int { ring.count }

  mutating func add(_ seconds: TimeInterval) {
    guard seconds >= 0 else { return }
    if ring.count < capacity {
      ring.append(seconds)
    } else {
      sorted.remove(at: index(of: ring[oldest]))
      ring[oldest] = seconds
      oldest = (oldest + 1) % capacity
    }
    sorted.insert(seconds, at: index(of: seconds))
  }

  /// Returns the smallest latency that at least `percent` percent of the latencies do not exceed.
  ///
  /// Returns `nil` if there are none.
  func percentile(_ percent: Double) -> TimeInterval? {
    guard !sorted.isEmpty else { return nil }
    let rank = Int((percent / 100 * Double(sorted.count) - 1e-9).rounded(.up))
    return sorted[min(sorted.count, max(1, rank)) - 1]
  }

  /// The first index in `sorted` whose latency is not less.
  private func index(of seconds: TimeInterval) -> Int {
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] < seconds { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
