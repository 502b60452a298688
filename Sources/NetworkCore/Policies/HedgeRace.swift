/// Decides which of the two copies of a hedged request determines its result.
///
/// The first copy to have a response wins. A copy that ends without a response counts only if the other copy
/// is not running, so a failure is delivered only if no copy can still succeed.
package struct HedgeRace {
  /// A copy of the request.
  package enum Copy: Int, Sendable {
    case first
    case second

    package var other: Copy { self == .first ? .second : .first }
  }

  /// Whether the first copy has not ended.
  package private(set) var isFirstRunning = true
  private var isSecondRunning = false
  private var winner: Copy?
  private var isCancelled = false

  package init() {}

  /// Whether a second copy may still be sent.
  package var isUndecided: Bool { winner == nil && isFirstRunning && !isCancelled }

  /// Returns whether the events of a copy are delivered as those of the request.
  package func hasWon(_ copy: Copy) -> Bool { winner == copy && !isCancelled }

  /// Records the start of the second copy; returns `false` if it must not start.
  package mutating func startSecond() -> Bool {
    guard isUndecided, !isSecondRunning else { return false }
    isSecondRunning = true
    return true
  }

  /// Records a response of a copy; returns whether the copy wins.
  package mutating func respond(_ copy: Copy) -> Bool {
    guard !isCancelled, winner == nil else { return false }
    winner = copy
    return true
  }

  /// Records the end of a copy; returns whether the request ends with it.
  ///
  /// A second copy that only waits for a place does not count: it may be refused there, and would replace the
  /// server's answer to the first copy.
  package mutating func end(_ copy: Copy, secondWaits: Bool = false) -> Bool {
    if copy == .first { isFirstRunning = false }
    if copy == .second || secondWaits { isSecondRunning = false }
    if let winner { return winner == copy }
    return !isFirstRunning && !isSecondRunning
  }

  /// Stops the race: no further copy is sent, and no response counts.
  package mutating func cancel() { isCancelled = true }
}
