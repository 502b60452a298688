import Foundation
import ReactiveNetworkLock

/// Decides how a circuit breaker reacts to the beginning and the end of calls.
struct CircuitBreakerStateMachine {
  enum Outcome {
    case succeeded
    case failed
    case cancelled
  }

  private enum Phase {
    case closed
    case open(until: TimeInterval)
    case halfOpen(Probes)
    case isolated
  }

  private struct Probes {
    var running = 0
    var succeeded = 0
    var failed = 0

    /// The number of probes that have begun and were not cancelled.
    var count: Int { running + succeeded + failed }
  }

  /// How long the breaker stays open, in seconds.
  private let openDurations: GrowingDelay
  private let probes: Int
  private let probeFailureRatio: Double
  private let probeTimeout: TimeInterval
  /// The number of calls that may not be made.
  private(set) var refusalCount = 0
  private var time = MonotonicTime()
  private var phase = Phase.closed
  /// Counts the phases; calls of earlier phases are ignored.
  private var generation = 0
  private var failures: ThresholdCounter
  /// `nil` if slow calls count as failures.
  private var slowCalls: ThresholdCounter?
  /// How often the breaker has opened since it closed.
  private var openCount = 0
  /// The time since which at least one probe has been running.
  private var probesStart = -TimeInterval.infinity

  init(
    opensAt threshold: CircuitBreaker.Threshold, slowCalls: CircuitBreaker.Threshold?,
    openDurations: GrowingDelay, probes: Int, probeFailureRatio: Double, probeTimeout: TimeInterval
  ) {
    self.openDurations = openDurations
    self.probes = probes
    self.probeFailureRatio = probeFailureRatio
    self.probeTimeout = probeTimeout
    failures = ThresholdCounter(threshold)
    self.slowCalls = slowCalls.map { ThresholdCounter($0) }
  }

  var state: CircuitBreaker.State {
    switch phase {
    case .closed: .closed
    case .open: .open
    case .halfOpen: .halfOpen
    case .isolated: .isolated
    }
  }

  /// Returns the generation of a call that may be made.
  mutating func begin(at reading: TimeInterval) throws(TransferError) -> Int {
    do throws(TransferError) {
      try admit(at: time.time(of: reading))
    } catch {
      refusalCount += 1
      throw error
    }
    return generation
  }

  private mutating func admit(at now: TimeInterval) throws(TransferError) {
    // A timer of the same clock may be early by a rounding error.
    let rounded = now + 1e-6
    switch phase {
    case .closed: break
    case .isolated: throw .circuitOpen(timeUntilProbe: nil)
    case .open(let end):
      guard rounded >= end else { throw .circuitOpen(timeUntilProbe: .inSeconds(end - now)) }
      enter(.halfOpen(Probes()))
      try admit(at: now)
    case .halfOpen(var probes):
      let end = probesStart + probeTimeout
      guard probes.running == 0 || rounded < end else {
        // It has been open since then, although no call has noticed it.
        open(at: end)
        return try admit(at: now)
      }
      guard probes.count < self.probes else { throw .circuitOpen(timeUntilProbe: .zero) }
      // Later probes do not extend the time of one that hangs.
      if probes.running == 0 { probesStart = now }
      probes.running += 1
      phase = .halfOpen(probes)
    }
  }

  /// Counts a call that has ended, unless the phase in which it began is over.
  mutating func end(_ generation: Int, _ outcome: Outcome, isSlow: Bool, at reading: TimeInterval) {
    let now = time.time(of: reading)
    guard generation == self.generation else { return }
    switch (phase, outcome) {
    case (.open, _), (.isolated, _): break
    case (.closed, _): count(outcome, isSlow: isSlow, at: now)
    case (.halfOpen(let probes), _): endProbe(of: probes, isSlow ? .failed : outcome, at: now)
    }
  }

  private mutating func endProbe(of probes: Probes, _ outcome: Outcome, at now: TimeInterval) {
    var probes = probes
    probes.running -= 1
    switch outcome {
    case .succeeded: probes.succeeded += 1
    case .failed: probes.failed += 1
    case .cancelled: break
    }
    if Double(probes.failed) > probeFailureRatio * Double(self.probes) + 1e-6 {
      open(at: now)
    } else if probes.succeeded + probes.failed >= self.probes {
      close()
    } else {
      phase = .halfOpen(probes)
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
    enter(.open(until: now + openDurations.delay(after: openCount)))
    openCount += 1
  }

  /// Refuses all calls until the breaker is closed.
  mutating func isolate() { enter(.isolated) }

  /// Closes the breaker and forgets what it has counted.
  mutating func close() {
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
      counts = SlidingWindowCounter(window: .seconds(1))
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
      return Double(counts.marked) >= min(1, max(0, ratio)) * Double(counts.all) - 1e-6
    }
  }

  mutating func removeAll() {
    markedInARow = 0
    counts.removeAll()
  }
}
