import Foundation
internal import ReactiveNetworkLock

/// Counts all events and the marked ones among them over a window of time that slides in tenths.
///
/// The window holds the current tenth and the nine before it. An event costs constant time, and the memory
/// does not grow.
struct SlidingWindowCounter {
  private struct Slot {
    var all = 0
    var marked = 0
  }

  private static let slotCount = 10
  private let slotLength: TimeInterval
  private var slots = Array(repeating: Slot(), count: slotCount)
  private var latest = Int.min
  /// The events of the window.
  private(set) var all = 0
  /// The marked events of the window.
  private(set) var marked = 0

  /// Creates an empty window of a length, at least a millisecond.
  init(window: Duration) {
    slotLength = Self.length(window).inSeconds / TimeInterval(Self.slotCount)
  }

  /// Returns a window length within the limits: at least a millisecond, at most a day.
  static func length(_ window: Duration) -> Duration { min(max(window, .milliseconds(1)), .seconds(86_400)) }

  /// Adds events at a time in seconds.
  mutating func add(all: Int = 0, marked: Int = 0, at seconds: TimeInterval) {
    slide(to: seconds)
    let index = Self.index(latest)
    slots[index].all += all
    slots[index].marked += marked
    self.all += all
    self.marked += marked
  }

  /// Removes the events that are outside the window at a time in seconds.
  mutating func slide(to seconds: TimeInterval) {
    let number = Int(max(-1e15, min(1e15, (seconds / slotLength).rounded(.down))))
    guard number > latest else { return }
    let begin = latest < number - Self.slotCount ? number - Self.slotCount : latest
    for passed in begin..<number {
      let index = Self.index(passed + 1)
      all -= slots[index].all
      marked -= slots[index].marked
      slots[index] = Slot()
    }
    latest = number
  }

  /// Removes all events.
  mutating func removeAll() {
    slots = Array(repeating: Slot(), count: Self.slotCount)
    (all, marked) = (0, 0)
  }

  private static func index(_ number: Int) -> Int {
    let rest = number % slotCount
    return rest < 0 ? rest + slotCount : rest
  }
}
