import Dispatch
import Foundation
import NetworkCore
import Processes
import ReactiveNetwork
import RxLite
import Synchronization

private struct API: TargetType {
  let url: URL
  let path = ""
  var baseURL: URL { url }
}

/// A constant number of concurrent requests of randomly drawn scenarios, until `end(within:)` is called.
final class SoakTest: Sendable {
  struct Results {
    var requests = 0
    var faults: [String: Int] = [:]
    /// Descriptions of the first failures.
    var wrong: [String] = []
    var wrongCount = 0
    var isEnding = false
    /// The requests in progress and the time at which each began.
    var running: [Int: (name: String, since: Double)] = [:]
    var numbers = SystemRandomNumberGenerator()
  }

  let results = Mutex(Results())
  private let weightedScenarios: [Scenario]
  private let transport: CurlTransport
  private let provider: NetworkProvider<API>
  private let timers = DispatchQueue(label: "soak")

  init(_ scenarios: [Scenario]) throws {
    weightedScenarios = scenarios.flatMap { Array(repeating: $0, count: $0.weight) }
    transport = try CurlTransport()
    provider = NetworkProvider(transport: transport)
  }

  /// Starts with `concurrency` requests at a time.
  func begin(concurrency: Int) {
    for _ in 0..<concurrency { next() }
  }

  /// Waits for the last requests, at most `limit` seconds, and returns the result.
  func end(within limit: Double) -> Results {
    results.withLock { $0.isEnding = true }
    let begin = seconds()
    while seconds() - begin < limit, results.withLock({ !$0.running.isEmpty }) { usleep(10_000) }
    return results.withLock { results in
      for (name, since) in results.running.values {
        results.recordFailure("\(name): no end after \(Int(seconds() - since)) s")
      }
      return results
    }
  }

  private func next() {
    let draw: (scenario: Scenario, number: Int)? = results.withLock { results in
      if results.isEnding { return nil }
      results.requests += 1
      let scenario = weightedScenarios[Int.random(in: 0..<weightedScenarios.count, using: &results.numbers)]
      results.running[results.requests] = (scenario.name, seconds())
      return (scenario, results.requests)
    }
    guard let (scenario, number) = draw else { return }
    send(scenario) { outcome in
      let isExpected = scenario.isExpected(outcome)
      self.results.withLock { results in
        if results.running.removeValue(forKey: number) == nil {
          results.recordFailure("\(scenario.name): a second end")
        }
        if scenario.isFault { results.faults[scenario.name, default: 0] += 1 }
        if !isExpected { results.recordFailure("\(scenario.name): \(outcome)") }
      }
      self.next()
    }
  }

  private func send(_ scenario: Scenario, _ done: @escaping @Sendable (Scenario.Outcome) -> Void) {
    switch scenario.client {
    case .transport: _ = start(scenario.request, done)
    case .cancelled:
      let token = start(scenario.request, done)
      later { token.cancel() }
    case .reactive: _ = subscribe(scenario.request, done)
    case .disposed:
      let isOver = Atomic(false)
      let subscription = subscribe(scenario.request) { outcome in
        // An event after the disposal counts as a second end.
        isOver.store(true, ordering: .releasing)
        done(outcome)
      }
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
    _ request: TransportRequest, _ done: @escaping @Sendable (Scenario.Outcome) -> Void
  ) -> any NetworkCore.Cancellable {
    let received = Mutex((status: 0, body: Data()))
    return transport.start(request) { event in
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

  private func subscribe(
    _ request: TransportRequest, _ done: @escaping @Sendable (Scenario.Outcome) -> Void
  ) -> SendableSubscription {
    guard let url = URL(string: request.url) else {
      done(.other("no URL"))
      return SendableSubscription(nil)
    }
    return SendableSubscription(
      provider.rx.request(API(url: url)).subscribe(
        onSuccess: { done(.response(status: $0.statusCode, body: $0.data)) },
        onFailure: { done(.other("\($0)")) }))
  }
}

/// Sendable because disposing is allowed on any thread.
private struct SendableSubscription: @unchecked Sendable {
  private let subscription: (any RxLite.Disposable)?

  init(_ subscription: (any RxLite.Disposable)?) {
    self.subscription = subscription
  }

  func dispose() { subscription?.dispose() }
}

extension SoakTest.Results {
  fileprivate mutating func recordFailure(_ words: String) {
    wrongCount += 1
    if wrong.count < 20 { wrong.append(words) }
  }
}
