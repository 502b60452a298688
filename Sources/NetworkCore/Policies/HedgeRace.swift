/// Decides which of the two copies of a hedged request counts.
///
/// The first copy to have a response wins. A copy that ends without one counts only if no other copy runs: so
/// a failure is delivered only if there is nothing left to wait for.
package struct HedgeRace {
  /// A copy of the request.
  package enum Copy: Sendable {
    case first
    case second

    package var other: Copy { self == .first ? .second : .first }
  }

  private var isFirstRunning = true
  private var isSecondRunning = false
  private var winner: Copy?
  private var isCancelled = false

  package init() {}

  /// Whether a second copy may still be sent.
  package var isUndecided: Bool { winner == nil && isFirstRunning && !isCancelled }

  /// Whether a copy has been sent and has not ended.
  package func isRunning(_ copy: Copy) -> Bool { copy == .first ? isFirstRunning : isSecondRunning }

  /// Whether the events of a copy are those of the request.
  package func hasWon(_ copy: Copy) -> Bool { winner == copy && !isCancelled }

  /// Returns whether the second copy starts.
  package mutating func startSecond() -> Bool {
    guard isUndecided, !isSecondRunning else { return false }
    isSecondRunning = true
    return true
  }

  /// Notes a response of a copy; returns whether that makes it the winner.
  package mutating func respond(_ copy: Copy) -> Bool {
    guard !isCancelled, winner == nil else { return false }
    winner = copy
    return true
  }

  /// Notes the end of a copy; returns whether that end is the request's.
  package mutating func end(_ copy: Copy) -> Bool {
    switch copy {
    case .first: isFirstRunning = false
    case .second: isSecondRunning = false
    }
    if let winner { return winner == copy }
    return !isFirstRunning && !isSecondRunning
  }

  /// Stops the race: no copy is sent any more, and no response counts.
  package mutating func cancel() { isCancelled = true }
}
