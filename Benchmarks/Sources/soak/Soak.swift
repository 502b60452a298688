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
final class Soak: Sendable {
  struct Tally {
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

  let tally = Mutex(Tally())
  private let draws: [Scenario]
  private let transport: CurlTransport
  private let provider: NetworkProvider<API>
  private let timers = DispatchQueue(label: "soak")

  init(_ scenarios: [Scenario]) throws {
    draws = scenarios.flatMap { Array(repeating: $0, count: $0.weight) }
    transport = try CurlTransport()
    provider = NetworkProvider(transport: transport)
  }

  /// Starts with `concurrency` requests at a time.
  func begin(concurrency: Int) {
    for _ in 0..<concurrency { next() }
  }

  /// Waits for the last requests, at most `limit` seconds, and returns the result.
  func end(within limit: Double) -> Tally {
    tally.withLock { $0.isEnding = true }
    let begin = seconds()
    while seconds() - begin < limit, tally.withLock({ !$0.running.isEmpty }) { usleep(10_000) }
    return tally.withLock { tally in
      for (name, since) in tally.running.values {
        tally.note("\(name): no end after \(Int(seconds() - since)) s")
      }
      return tally
    }
  }

  private func next() {
    let draw: (scenario: Scenario, number: Int)? = tally.withLock { tally in
      if tally.isEnding { return nil }
      tally.requests += 1
      let scenario = draws[Int.random(in: 0..<draws.count, using: &tally.numbers)]
      tally.running[tally.requests] = (scenario.name, seconds())
      return (scenario, tally.requests)
    }
    guard let (scenario, number) = draw else { return }
    send(scenario) { outcome in
      let isRight = scenario.isRight(outcome)
      self.tally.withLock { tally in
        if tally.running.removeValue(forKey: number) == nil { tally.note("\(scenario.name): a second end") }
        if scenario.isFault { tally.faults[scenario.name, default: 0] += 1 }
        if !isRight { tally.note("\(scenario.name): \(outcome)") }
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
        // An event after the silence counts as a second end.
        isOver.store(true, ordering: .releasing)
        done(outcome)
      }
      later {
        subscription.dispose()
        // Leaves time for a delivery that was in progress at the disposal.
        self.timers.asyncAfter(deadline: .now() + 0.2) {
          if !isOver.exchange(true, ordering: .acquiringAndReleasing) { done(.silence) }
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
        done(.answer(status: status, body: body))
      default: break
      }
    }
  }

  private func subscribe(
    _ request: TransportRequest, _ done: @escaping @Sendable (Scenario.Outcome) -> Void
  ) -> Subscription {
    guard let url = URL(string: request.url) else {
      done(.other("no URL"))
      return Subscription(nil)
    }
    return Subscription(
      provider.rx.request(API(url: url)).subscribe(
        onSuccess: { done(.answer(status: $0.statusCode, body: $0.data)) },
        onFailure: { done(.other("\($0)")) }))
  }
}

/// Sendable because disposing is allowed on any thread.
private struct Subscription: @unchecked Sendable {
  private let subscription: (any RxLite.Disposable)?

  init(_ subscription: (any RxLite.Disposable)?) {
    self.subscription = subscription
  }

  func dispose() { subscription?.dispose() }
}

extension Soak.Tally {
  fileprivate mutating func note(_ words: String) {
    wrongCount += 1
    if wrong.count < 20 { wrong.append(words) }
  }
}
