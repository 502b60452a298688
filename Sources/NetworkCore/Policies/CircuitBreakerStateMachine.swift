import Foundation

/// Decides how a circuit breaker reacts to the beginning and the end of calls.
struct CircuitBreakerStateMachine {
  /// How long the breaker stays open, in seconds.
  struct OpenDurations {
    let first: TimeInterval
    let multiplier: Double
    let longest: TimeInterval

    /// Returns the next duration after the breaker has opened a number of times since it closed.
    func duration(after openings: Int) -> TimeInterval {
      guard first > 0 else { return 0 }
      return min(longest, first * pow(max(1, multiplier), Double(openings)))
    }
  }

  enum Outcome {
    case succeeded
    case failed
    case cancelled
  }

  private enum Phase {
    case closed
    case open(until: TimeInterval)
    case halfOpen(running: Int, succeeded: Int)
  }

  private let openDurations: OpenDurations
  private let probes: Int
  private var time = MonotonicTime()
  private var phase = Phase.closed
  /// Counts the phases; calls of earlier phases are ignored.
  private var generation = 0
  private var failures: ThresholdCounter
  /// `nil` if slow calls count as failures.
  private var slowCalls: ThresholdCounter?
  /// How often the breaker has opened since it closed.
  private var openCount = 0

  init(
    opensAt threshold: CircuitBreaker.Threshold, slowCalls: CircuitBreaker.Threshold?,
    openDurations: OpenDurations, probes: Int
  ) {
    self.openDurations = openDurations
    self.probes = probes
    failures = ThresholdCounter(threshold)
    self.slowCalls = slowCalls.map { ThresholdCounter($0) }
  }

  var state: CircuitBreaker.State {
    switch phase {
    case .closed: .closed
    case .open: .open
    case .halfOpen: .halfOpen
    }
  }

  /// Returns the generation of a call that may be made.
  mutating func begin(at reading: TimeInterval) throws(CircuitOpenError) -> Int {
    let now = time.time(of: reading)
    switch phase {
    case .closed: break
    case .open(let end):
      // A timer of the same clock may be early by a rounding error.
      guard now >= end - 1e-6 else { throw CircuitOpenError(timeUntilProbe: end - now) }
      enter(.halfOpen(running: 1, succeeded: 0))
    case .halfOpen(let running, let succeeded):
      guard running + succeeded < probes else { throw CircuitOpenError(timeUntilProbe: 0) }
      phase = .halfOpen(running: running + 1, succeeded: succeeded)
    }
    return generation
  }

  /// Counts a call that has ended, unless the phase in which it began is over.
  mutating func end(_ generation: Int, _ outcome: Outcome, isSlow: Bool, at reading: TimeInterval) {
    let now = time.time(of: reading)
    guard generation == self.generation else { return }
    switch (phase, outcome) {
    case (.open, _): break
    case (.closed, _): count(outcome, isSlow: isSlow, at: now)
    case (.halfOpen, .failed): open(at: now)
    case (.halfOpen, _) where isSlow: open(at: now)
    case (.halfOpen(let running, let succeeded), .succeeded):
      if succeeded + 1 >= probes {
        close()
      } else {
        phase = .halfOpen(running: running - 1, succeeded: succeeded + 1)
      }
    case (.halfOpen(let running, let succeeded), .cancelled):
      phase = .halfOpen(running: running - 1, succeeded: succeeded)
    }
  }

  private mutating func count(_ outcome: Outcome, isSlow: Bool, at now: TimeInterval) {
    guard outcome != .cancelled || isSlow else { return }
    let isFailure = outcome == .failed || isSlow && slowCalls == nil
    var isReached = slowCalls?.add(isMarked: isSlow, at: now) ?? false
    // A cancel says nothing about failures.
    if outcome != .cancelled || isFailure {
      isReached = failures.add(isMarked: isFailure, at: now) || isReached
    }
    if isReached { open(at: now) }
  }

  private mutating func open(at now: TimeInterval) {
    enter(.open(until: now + openDurations.duration(after: openCount)))
    openCount += 1
  }

  private mutating func close() {
    enter(.closed)
    openCount = 0
  }

  private mutating func enter(_ phase: Phase) {
    self.phase = phase
    generation += 1
    failures.removeAll()
    slowCalls?.removeAll()
  }
}

/// Counts calls that have ended, and finds when the marked ones among them reach a threshold.
private struct ThresholdCounter {
  private let threshold: CircuitBreaker.Threshold
  private var counts: SlidingWindowCounter
  private var markedInARow = 0

  init(_ threshold: CircuitBreaker.Threshold) {
    self.threshold = threshold
    if case .failureRatio(_, _, let window) = threshold {
      counts = SlidingWindowCounter(window: window)
    } else {
      counts = SlidingWindowCounter(window: 1)
    }
  }

  /// Adds a call; returns whether the threshold is reached.
  mutating func add(isMarked: Bool, at now: TimeInterval) -> Bool {
    markedInARow = isMarked ? markedInARow + 1 : 0
    counts.add(all: 1, marked: isMarked ? 1 : 0, at: now)
    switch threshold {
    case .consecutiveFailures(let limit): return markedInARow >= max(1, limit)
    case .failureRatio(let ratio, let minimumCalls, _):
      guard counts.marked > 0, counts.all >= minimumCalls else { return false }
      return Double(counts.marked) >= ratio * Double(counts.all) - 1e-6
    }
  }

  mutating func removeAll() {
    markedInARow = 0
    counts.removeAll()
  }
}
