import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("A circuit breaker against a reference", .timeLimit(.minutes(5)))
struct CircuitBreakerReferenceTests {
  /// A breaker that follows the documentation literally: it keeps all ends and counts them each time.
  private struct ReferenceModel {
    enum Phase: Equatable {
      case closed
      case open(until: Int)
      case halfOpen
    }

    /// How many of the three probes may fail.
    let probeFailures: Int
    var phase = Phase.closed
    /// The number of changes of the phase.
    var changes = 0
    /// The ends that count since the breaker was closed, with their tenths of the window.
    var ends: [(tenth: Int, failed: Bool)] = []
    var openings = 0
    /// The time since which probes have been running.
    var probesStart = 0
    var probesRunning = 0
    var probesSucceeded = 0
    var probesFailed = 0

    var state: CircuitBreaker.State {
      switch phase {
      case .closed: .closed
      case .open: .open
      case .halfOpen: .halfOpen
      }
    }

    /// Returns the number of the phase that a call belongs to, or the time until the next probe.
    mutating func begin(at now: Int) -> Result<Int, TransferError> {
      if case .open(let end) = phase {
        guard now >= end else {
          return .failure(TransferError.circuitOpen(timeUntilProbe: .seconds(end - now)))
        }
        enter(.halfOpen)
      }
      if phase == .halfOpen {
        if probesRunning > 0, now >= probesStart + 8 {
          open(at: probesStart + 8)
          return begin(at: now)
        }
        guard probesRunning + probesSucceeded + probesFailed < 3 else {
          return .failure(TransferError.circuitOpen(timeUntilProbe: .zero))
        }
        if probesRunning == 0 { probesStart = now }
        probesRunning += 1
      }
      return .success(changes)
    }

    mutating func end(_ call: Int, failed: Bool?, at now: Int) {
      guard call == changes else { return }
      switch phase {
      case .closed:
        guard let failed else { return }
        ends.append((now, failed))
        let counted = ends.filter { $0.tenth > now - 10 }
        let failures = counted.count { $0.failed }
        if failures > 0, counted.count >= 4, failures * 2 >= counted.count { open(at: now) }
      case .open: break
      case .halfOpen:
        probesRunning -= 1
        if failed == true { probesFailed += 1 }
        if failed == false { probesSucceeded += 1 }
        if probesFailed > probeFailures { return open(at: now) }
        if probesSucceeded + probesFailed == 3 {
          enter(.closed)
          openings = 0
        }
      }
    }

    private mutating func open(at now: Int) {
      // 5, 10, 20, 40 and then 60 seconds.
      var wait = 5
      for _ in 0..<min(10, openings) { wait = min(60, wait * 2) }
      openings += 1
      enter(.open(until: now + wait))
    }

    private mutating func enter(_ next: Phase) {
      phase = next
      changes += 1
      ends = []
      (probesRunning, probesSucceeded, probesFailed) = (0, 0, 0)
    }
  }

  @Test("any traffic makes the same changes and the same refusals", arguments: 0..<60)
  func reference(seed: UInt64) throws {
    var numbers = SplitMix64(seed: seed)
    let time = ManualDelayScheduler(now: Date(timeIntervalSinceReferenceDate: 0))
    let breaker = CircuitBreaker(
      opensAt: .failureRatio(0.5, minimumCalls: 4, window: .seconds(10)), probeWait: .seconds(5), probes: 3,
      probeFailureRatio: Double(seed % 3) / 3, probeTimeout: .seconds(8), scheduler: time)
    var reference = ReferenceModel(probeFailures: Int(seed % 3))
    var calls: [(call: CircuitBreaker.Call, number: Int)] = []
    var now = 0
    var seen: Set<CircuitBreaker.State> = []
    var refusals = 0
    for _ in 0..<500 {
      switch Int.random(in: 0..<5, using: &numbers) {
      case 0, 1:
        let expected = reference.begin(at: now)
        do throws(TransferError) {
          let call = try breaker.begin()
          calls.append((call, try expected.get()))
        } catch {
          #expect(expected == .failure(error))
          refusals += 1
        }
      case 2, 3:
        guard !calls.isEmpty else { continue }
        let (call, number) = calls.remove(at: Int.random(in: calls.indices, using: &numbers))
        let failed = [true, true, false, false, nil].randomElement(using: &numbers) ?? nil
        switch failed {
        case true?: call.fail(NetworkError.underlying(TransferError.timedOut(after: .seconds(1)), nil))
        case false?: call.succeed()
        case nil: call.cancel()
        }
        reference.end(number, failed: failed, at: now)
      default:
        let step = Int.random(in: 1...4, using: &numbers)
        now += step
        time.advance(by: .seconds(step))
      }
      try #require(breaker.state == reference.state)
      seen.insert(breaker.state)
    }
    #expect(seen.count == 3)
    #expect(refusals > 0)
  }
}
