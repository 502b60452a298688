import Foundation
import LoopbackServer
import NetworkCore
import ReactiveNetworkLock
import Testing

/// The article's examples, about one service.
private struct Examples {
  let guards = Guards()

  enum Catalogue: TargetType {
    case item(Int)

    var baseURL: URL { URL(string: "https://catalogue.example")! }
    var path: String {
      switch self {
      case .item(let id): "/items/\(id)"
      }
    }
  }

  struct Guards {
    let budget = RetryBudget(ratio: 0.2)
    let breaker = CircuitBreaker(
      opensAt: .failureRatio(0.5, minimumCalls: 20, window: .seconds(10)), probeWait: .seconds(5))
    let limit = ConcurrencyLimit(8, maxWaiting: 32)
    let hedge = HedgePolicy(
      after: .percentile(95, initially: .milliseconds(200)), budget: RetryBudget(ratio: 0.1))
  }

  func guardedProvider() throws -> NetworkProvider<Catalogue> {
    let transport = try CurlTransport()
      .limitConcurrency(guards.limit, longestWait: .seconds(1))
      .hedged(guards.hedge)
      .circuitBreaker(guards.breaker)
    return NetworkProvider(transport: transport, interceptors: [RetryPolicy(budget: guards.budget)])
  }

  func isRefused(_ error: NetworkError) -> Bool {
    error.transferError?.isRefusal == true
  }

  func chaos(around transport: any Transport, _ scheduler: any DelayScheduler) -> ChaosTransport {
    var plan = ChaosPlan(seed: 7)
    plan.delayRate = 0.2
    plan.delays = .seconds(1) ... .seconds(5)
    plan.failureRate = 0.05
    plan.statusRate = 0.05
    return ChaosTransport(transport, plan: plan, scheduler: scheduler)
  }
}

@Suite("Examples in Protect a service without Rx", .timeLimit(.minutes(5)))
struct PolicyLayersTests {
  private let examples = Examples()

  @Test("failures open the breaker, which refuses calls")
  func refusal() async throws {
    let failure = NetworkError.statusCode(Response(statusCode: 503, data: Data()))
    for _ in 0..<20 { try examples.guards.breaker.begin().fail(failure) }
    let error = await #expect(throws: NetworkError.self) {
      _ = try await examples.guardedProvider().response(for: .item(2))
    }
    #expect(error.map(examples.isRefused) == true)
  }

  @Test("an item passes through the layers of a transport, and nothing is left behind")
  func layers() async throws {
    let server = try LoopbackServer { _ in .json(#"{"id": 1}"#) }
    let transport = try examples.guardedProvider().transport
    let body = Lock(Data())
    let ends = AsyncStream.makeStream(of: TransferError?.self)
    _ = transport.start(TransportRequest(url: server.origin)) { event in
      switch event {
      case .body(let piece): body.withLock { $0.append(piece) }
      case .finished(let error): ends.continuation.yield(error)
      default: break
      }
    }
    for await error in ends.stream {
      #expect(error == nil)
      break
    }
    #expect(body.withLock { $0 } == Data(#"{"id": 1}"#.utf8))
    #expect(examples.guards.limit.runningCount == 0)
  }

  @Test("chaos does what its plan says, in virtual time")
  func chaos() {
    let time = ManualDelayScheduler()
    let server = examples.chaos(around: UnusedTransport(), time)
    let ends = Lock(0)
    for _ in 0..<100 {
      _ = server.start(TransportRequest(url: "http://host/")) { event in
        if case .finished = event { ends.withLock { $0 += 1 } }
      }
    }
    time.advance(by: .seconds(10))
    let passed = (0..<100).filter { number in
      let faults = server.plan.faults(ofRequest: number)
      return !faults.contains { if case .delay = $0 { false } else { true } }
    }
    #expect(passed.count < 100)
    #expect(ends.withLock { $0 } == 100 - passed.count)
  }
}

/// A transport whose requests never end.
private final class UnusedTransport: Transport {
  /// Kept, because a released handler ends the request.
  private let handlers = Lock([@Sendable (TransferEvent) -> Void]())

  func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    handlers.withLock { $0.append(handler) }
    return CancellableToken {}
  }
}
