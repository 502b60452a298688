import Dispatch
import Foundation
import NetworkCore
import Processes
import RxLite
import Synchronization

/// A constant number of runs at a time, of scenarios that are drawn at random, until `end(within:)` is called.
final class SoakTest: Sendable {
  struct Results {
    var runs = 0
    var tallies: [String: Tally] = [:]
    /// Descriptions of the first wrong outcomes.
    var wrong: [String] = []
    var wrongCount = 0
    var isEnding = false
    /// The runs in progress, and the time at which each began.
    var running: [Int: (name: String, since: Double)] = [:]
    var numbers = SystemRandomNumberGenerator()

    mutating func noteWrong(_ words: String) {
      wrongCount += 1
      if wrong.count < 20 { wrong.append(words) }
    }
  }

  private let results = Mutex(Results())
  private let weightedScenarios: [Scenario]
  private let client: SoakClient
  private let disturber: Disturber
  private let timers = DispatchQueue(label: "soak")

  init(_ scenarios: [Scenario], _ client: SoakClient, _ disturber: Disturber) {
    weightedScenarios = scenarios.flatMap { Array(repeating: $0, count: $0.weight) }
    self.client = client
    self.disturber = disturber
  }

  /// Starts with `concurrency` runs at a time.
  func begin(concurrency: Int) {
    for _ in 0..<concurrency { next() }
  }

  /// The number of runs that have begun.
  var count: Int { results.withLock { $0.runs } }

  /// Waits for the last runs, at most `limit` seconds, and returns the results.
  func end(within limit: Double) -> Results {
    results.withLock { $0.isEnding = true }
    let begin = seconds()
    while seconds() - begin < limit, results.withLock({ !$0.running.isEmpty }) { usleep(10_000) }
    return results.withLock { results in
      for (name, since) in results.running.values {
        results.noteWrong("\(name): no end after \(Int(seconds() - since)) s")
      }
      return results
    }
  }

  private func next() {
    let draw: (scenario: Scenario, number: Int)? = results.withLock { results in
      if results.isEnding { return nil }
      results.runs += 1
      let scenario = weightedScenarios[Int.random(in: 0..<weightedScenarios.count, using: &results.numbers)]
      results.running[results.runs] = (scenario.name, seconds())
      return (scenario, results.runs)
    }
    guard let (scenario, number) = draw else { return }
    send(scenario, number) { outcome in
      let isExpected = scenario.isExpected(outcome)
      self.results.withLock { self.note(outcome, isExpected, of: scenario.name, number, in: &$0) }
      // On another thread, because a run that fails at once would begin the next one in its own call.
      DispatchQueue.global().async { self.next() }
    }
  }

  private func note(
    _ outcome: Outcome, _ isExpected: Bool, of name: String, _ number: Int, in results: inout Results
  ) {
    guard let (_, begin) = results.running.removeValue(forKey: number) else {
      return results.noteWrong("\(name): a second end")
    }
    if isExpected {
      results.tallies[name, default: Tally()].add(outcome)
    } else if let kind = outcome.failureKind, disturber.mayHaveDisturbed(since: begin) {
      results.tallies[name, default: Tally()].disturbed[kind, default: 0] += 1
    } else {
      results.tallies[name, default: Tally()].wrong += 1
      results.noteWrong("\(name): \("\(outcome)".prefix(300))")
    }
  }

  private func send(_ scenario: Scenario, _ number: Int, _ done: @escaping @Sendable (Outcome) -> Void) {
    switch scenario.client {
    case .transport(let request):
      let token = start(request, done)
      if scenario.isCancelled { later { token.cancel() } }
    case .pipeline(let pipeline):
      let isOver = Atomic(false)
      let subscription = pipeline(client, number).subscribe(
        onSuccess: { outcome in
          // An event after the disposal counts as a second end.
          isOver.store(true, ordering: .releasing)
          done(outcome)
        },
        onFailure: { error in
          isOver.store(true, ordering: .releasing)
          done(.failure(error))
        })
      guard scenario.isCancelled else { return }
      later {
        subscription.dispose()
        // Leaves time for a delivery that was in progress at the disposal.
        self.timers.asyncAfter(deadline: .now() + 0.2) {
          if !isOver.exchange(true, ordering: .acquiringAndReleasing) { done(.noEvent) }
        }
      }
    }
  }

  private func later(_ action: @escaping @Sendable () -> Void) {
    let delay = Double.random(in: 0...0.02)
    timers.asyncAfter(deadline: .now() + delay, execute: action)
  }

  private func start(
    _ request: TransportRequest, _ done: @escaping @Sendable (Outcome) -> Void
  ) -> any NetworkCore.Cancellable {
    let received = Mutex((status: 0, body: Data()))
    return client.transport.start(request) { event in
      switch event {
      case .head(let head): received.withLock { $0.status = head.statusCode }
      case .body(let piece): received.withLock { $0.body.append(piece) }
      case .finished(let error?): done(.failure(error))
      case .finished(nil):
        let (status, body) = received.withLock { $0 }
        done(.response(status: status, body: body))
      default: break
      }
    }
  }
}
