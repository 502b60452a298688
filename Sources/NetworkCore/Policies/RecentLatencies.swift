import Foundation

/// The latest latencies, in seconds, and their percentiles.
///
/// Adding a latency and removing an old one each move at most `capacity` numbers in memory. If all are old, they
/// are removed at once. A percentile takes constant time.
struct RecentLatencies {
  private struct Measurement {
    let seconds: TimeInterval
    /// The time of its arrival.
    let time: TimeInterval
  }

  private let capacity: Int
  private let window: TimeInterval
  /// The measurements in the order of arrival; `count` of them, from `oldest` on, are current.
  private var ring: [Measurement] = []
  private var oldest = 0
  private(set) var count = 0
  private var sorted: [TimeInterval] = []
  private var clock = MonotonicTime()

  /// Creates an empty collection, which keeps `capacity` latencies at most, each for `window` seconds.
  init(capacity: Int, window: TimeInterval) {
    self.capacity = max(1, capacity)
    self.window = window
  }

  mutating func add(_ seconds: TimeInterval, at reading: TimeInterval) {
    guard seconds >= 0 else { return }
    let time = removeOld(at: reading)
    if count == capacity { removeOldest() }
    let measurement = Measurement(seconds: seconds, time: time)
    let position = (oldest + count) % capacity
    if position == ring.count { ring.append(measurement) } else { ring[position] = measurement }
    count += 1
    sorted.insert(seconds, at: index(of: seconds))
  }

  /// Removes the latencies that are older than the window, and returns the time of a reading of the clock.
  @discardableResult mutating func removeOld(at reading: TimeInterval) -> TimeInterval {
    let time = clock.time(of: reading)
    if count > 0, time - ring[(oldest + count - 1) % capacity].time > window {
      (ring, sorted, oldest, count) = ([], [], 0, 0)
    }
    while count > 0, time - ring[oldest].time > window { removeOldest() }
    return time
  }

  /// Returns the smallest latency that at least `percent` percent of the latencies do not exceed.
  ///
  /// Returns `nil` if there are none.
  func percentile(_ percent: Double) -> TimeInterval? {
    guard !sorted.isEmpty else { return nil }
    let rank = Int((percent / 100 * Double(sorted.count) - 1e-9).rounded(.up))
    return sorted[min(sorted.count, max(1, rank)) - 1]
  }

  private mutating func removeOldest() {
    sorted.remove(at: index(of: ring[oldest].seconds))
    oldest = (oldest + 1) % capacity
    count -= 1
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
