import Dispatch
import Foundation
import ReactiveNetworkLock
import NetworkCore
import ReactiveNetwork
import RxLite
import Testing

/// Several threads make many calls through all policies at once, with and without Rx, over a transport that
/// delays and fails requests, and cuts off and changes responses.
///
/// There are 20,000 calls unless `POLICY_CALLS` sets another number. Meant for the thread sanitizer.
@Suite("All policies at once", .timeLimit(.minutes(60)))
struct CombinedPoliciesTests {
  @Test("each call ends once, and no place, probe or transfer remains")
  func calls() async throws {
    let count = ProcessInfo.processInfo.environment["POLICY_CALLS"].flatMap { Int($0) } ?? 20_000
    let load = PolicyLoad(count: count)
    await load.run()
    #expect(load.ends.allSatisfy { $0 == 1 })
    // The load has triggered every action of the policies.
    let outcomes = load.outcomes
    for outcome in PolicyLoad.Outcome.allCases {
      #expect(outcomes[outcome, default: 0] > 0, "\(outcome): \(outcomes)")
    }
    #expect(outcomes.values.reduce(0, +) == count)
    await load.settle()
    #expect(load.limit.runningCount == 0)
    #expect(load.limit.waitingCount == 0)
    #expect(load.memory.runningCount == 0)
    #expect(load.breaker.state == .closed)
  }
}

/// The policies, and the calls through them.
private final class PolicyLoad: Sendable {
  enum Outcome: CaseIterable {
    case answered, failed, refused, overloaded, cancelled
  }

  private static let callers = 4
  private static let callsAtATime = 24

  let limit = ConcurrencyLimit(
    12, adapting: .aimd(slowest: .milliseconds(50), within: 4...24), maxWaiting: 16)
  let breaker = CircuitBreaker(
    opensAt: .consecutiveFailures(12), probeWait: .milliseconds(2), longestProbeWait: .milliseconds(10),
    probes: 2)
  let memory = MemoryTransport()
  private let budget = RetryBudget(ratio: 0.3)
  private let hedge = HedgePolicy(
    after: .percentile(95, initially: .milliseconds(1)), budget: RetryBudget(ratio: 0.2),
    hedgeableHTTPMethods: [.get])
  private let provider: NetworkProvider<LoadTarget>
  private let guardedProvider: NetworkProvider<LoadTarget>
  private let count: Int
  private let state: Lock<(ends: [UInt8], outcomes: [Outcome: Int])>

  init(count: Int) {
    self.count = count
    state = Lock(([UInt8](repeating: 0, count: count), [:]))
    var plan = ChaosPlan(seed: 22)
    (plan.delayRate, plan.delays) = (0.02, Duration.zero...Duration.milliseconds(4))
    (plan.failureRate, plan.statusRate, plan.cutOffRate, plan.garbledRate) = (0.02, 0.02, 0.02, 0.02)
    let chaos = ChaosTransport(memory, plan: plan)
    provider = NetworkProvider(transport: chaos)
    let transport = chaos.limitConcurrency(limit, longestWait: .milliseconds(200)) { $0.url.count % 3 }
      .hedged(hedge).circuitBreaker(breaker)
    let retries = RetryPolicy(retryLimit: 2, exponentialBackoffScale: 0.0005, budget: budget)
    guardedProvider = NetworkProvider(transport: transport, interceptors: [retries])
  }

  var ends: [UInt8] { state.withLock { $0.ends } }
  var outcomes: [Outcome: Int] { state.withLock { $0.outcomes } }

  /// Makes all calls, and returns when each has ended.
  func run() async {
    await withCheckedContinuation { done in
      let callers = DispatchGroup()
      for caller in 0..<Self.callers {
        callers.enter()
        // Uses threads, because the callers block while too many of their calls run.
        Thread.detachNewThread {
          self.call(from: caller)
          callers.leave()
        }
      }
      callers.notify(queue: .global()) { done.resume() }
    }
  }

  /// Waits until the transfers of cancelled calls have ended, and lets the breaker close.
  func settle() async {
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
      if breaker.state != .closed { (try? breaker.begin())?.succeed() }
      if limit.runningCount == 0, memory.runningCount == 0, breaker.state == .closed { return }
      try? await Task.sleep(for: .milliseconds(5))
    }
  }

  private func call(from caller: Int) {
    // Deallocating a semaphore whose value is lower than its initial value stops the process.
    let places = DispatchSemaphore(value: 0)
    for _ in 0..<Self.callsAtATime { places.signal() }
    for number in stride(from: caller, to: count, by: Self.callers) {
      places.wait()
      // Refused calls end at once, so that without this wait most calls would be refused.
      if breaker.state != .closed || limit.waitingCount > 12 { usleep(1_000) }
      // Every sixteenth call is cancelled, half of these at once.
      let cancels = number / Self.callers % 16 == 5
      let cancel = number % 2 == 0 ? sendWithRx(number, places) : send(number, places)
      guard cancels else { continue }
      if number / Self.callers % 32 == 5 {
        cancel()
      } else {
        DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(300), execute: cancel)
      }
    }
    for _ in 0..<Self.callsAtATime { places.wait() }
  }

  private func send(_ number: Int, _ places: DispatchSemaphore) -> @Sendable () -> Void {
    let token = guardedProvider.request(LoadTarget(number: number)) { result in
      self.end(number, result.mapError { $0 })
      places.signal()
    }
    return { token.cancel() }
  }

  private func sendWithRx(_ number: Int, _ places: DispatchSemaphore) -> @Sendable () -> Void {
    let result = Lock<Result<Response, any Error>?>(nil)
    let subscription = provider.rx.request(LoadTarget(number: number))
      .filterSuccessfulStatusCodes()
      .limitConcurrency(limit, priority: number % 3, longestWait: .milliseconds(200))
      .hedged(hedge)
      .circuitBreaker(breaker)
      .retry(backoff: .constant(.microseconds(500)), maxAttempts: 3, budget: budget)
      .subscribe(
        onSuccess: { response in result.withLock { $0 = .success(response) } },
        onFailure: { error in result.withLock { $0 = .failure(error) } },
        onDisposed: {
          self.end(number, result.withLock { $0 } ?? .failure(NetworkError.cancelled))
          places.signal()
        })
    let disposal = Lock(subscription)
    return { disposal.withLock { $0 }.dispose() }
  }

  private func end(_ number: Int, _ result: Result<Response, any Error>) {
    let outcome: Outcome =
      switch result {
      case .success: .answered
      case .failure(let error): Self.outcome(of: error)
      }
    state.withLock { state in
      state.ends[number] &+= 1
      state.outcomes[outcome, default: 0] += 1
    }
  }

  private static func outcome(of error: any Error) -> Outcome {
    switch (error as? NetworkError)?.transferError {
    case .cancelled: .cancelled
    case .circuitOpen: .refused
    case .queueFull, .waitedTooLong: .overloaded
    default: .failed
    }
  }
}

private struct LoadTarget: TargetType {
  let number: Int
  var baseURL: URL { URL(string: "http://host")! }
  var path: String { "/\(number % 1_000)" }
  // Every tenth request must not be hedged or retried.
  var method: HTTPMethod { number % 10 == 7 ? .post : .get }
  var validationType: ValidationType { .successCodes }
}

/// A transport that responds on separate queues: to most requests at once, to one in fifty later, and at
/// times to all of them with 503.
private final class MemoryTransport: Transport {
  private let queues = (0..<3).map { DispatchQueue(label: "memory \($0)") }
  private let counts = Lock((started: 0, running: 0))

  /// The number of transfers that have not ended.
  var runningCount: Int { counts.withLock { $0.running } }

  func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    let number = counts.withLock { counts in
      counts.started += 1
      counts.running += 1
      return counts.started
    }
    let queue = queues[number % queues.count]
    let isOver = Lock(false)
    let end: @Sendable (TransferError?) -> Void = { [weak self] error in
      let isFirst = isOver.withLock { isOver in
        defer { isOver = true }
        return !isOver
      }
      guard isFirst else { return }
      if error == nil {
        let status = number % 2_000 >= 1_960 ? 503 : 200
        handler(.head(ResponseHead(statusCode: status, url: request.url, headers: [:])))
        handler(.body(Data("body".utf8)))
      }
      self?.counts.withLock { $0.running -= 1 }
      handler(.finished(error))
    }
    if number % 50 == 0 {
      queue.asyncAfter(deadline: .now() + .milliseconds(4)) { end(nil) }
    } else {
      queue.async { end(nil) }
    }
    return CancellableToken { queue.async { end(.cancelled) } }
  }
}
