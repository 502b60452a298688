import Foundation
import ReactiveNetworkLock
import NetworkCore
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Each willSend is followed by exactly one didReceive")
struct BalanceTests {
  /// Counts the requests that have begun and ended, and expects that none ends before it has begun.
  private final class BalanceCheck: PluginType {
    let counts = Lock((began: 0, ended: 0))

    func willSend(_ request: any RequestType, target: any TargetType) {
      counts.withLock { $0.began += 1 }
    }

    func didReceive(_ result: Result<Response, NetworkError>, target: any TargetType) {
      let isBalanced = counts.withLock { counts in
        counts.ended += 1
        return counts.ended <= counts.began
      }
      #expect(isBalanced)
    }
  }

  struct BalanceTarget: TargetType {
    var task = HTTPTask.requestPlain
    var path = ""
    var method = HTTPMethod.get
    var validationType = ValidationType.none
    var baseURL: URL { URL(staticString: "http://h") }
  }

  private struct Refusing: RequestInterceptor {
    func adapt(
      _ urlRequest: URLRequest, for session: Session,
      completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) { completion(.failure(TransferError.cancelled)) }
  }

  /// A request, the events during it, and the expected number of attempts.
  struct Scenario: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let asks: BalanceTarget
    let interceptors: [any RequestInterceptor]
    let stub: StubBehavior
    let began: Int
    let act: Act

    init(
      _ name: String, _ asks: BalanceTarget, _ interceptors: [any RequestInterceptor], _ stub: StubBehavior,
      _ began: Int, _ act: @escaping Act
    ) {
      testDescription = name
      self.asks = asks
      self.interceptors = interceptors
      self.stub = stub
      self.began = began
      self.act = act
    }
  }

  typealias Act = @Sendable (ScriptedTransport, any Cancellable) -> Void

  private static let none: Act = { _, _ in }
  private static let head = TransferEvent.head(ResponseHead(statusCode: 200, url: "http://h", headers: [:]))

  private static let ways: [Scenario] = [
    Scenario(
      "a response", BalanceTarget(), [], .never, 1, { transport, _ in transport.transfers[0].answer() }),
    Scenario(
      "two ends", BalanceTarget(), [], .never, 1,
      { transport, _ in transport.transfers[0].send(head, .finished(nil), .finished(.cancelled)) }
    ),
    Scenario(
      "a bad status", BalanceTarget(validationType: .successCodes), [], .never, 1,
      { transport, _ in transport.transfers[0].answer(404) }
    ),
    Scenario(
      "no head", BalanceTarget(), [], .never, 1,
      { transport, _ in transport.transfers[0].send(.finished(nil)) }),
    Scenario(
      "a lost transfer", BalanceTarget(), [], .never, 1, { transport, _ in transport.transfers[0].drop() }),
    Scenario("a cancel", BalanceTarget(), [], .never, 1, { _, token in token.cancel() }),
    Scenario(
      "a cancel during the body", BalanceTarget(), [], .never, 1,
      { transport, token in
        transport.transfers[0].send(head, .body(Data("x".utf8)))
        token.cancel()
        transport.transfers[0].send(.finished(.cancelled))
      }
    ),
    Scenario(
      "a cancel after the end", BalanceTarget(), [], .never, 1,
      { transport, token in
        transport.transfers[0].answer()
        token.cancel()
      }
    ),
    Scenario("a stub", BalanceTarget(), [], .immediate, 1, none),
    Scenario(
      "a cancelled stub", BalanceTarget(), [], .delayed(seconds: 100), 1, { _, token in token.cancel() }),
    Scenario(
      "a form that cannot be sent", BalanceTarget(task: .uploadMultipartFormData([]), method: .post), [],
      .never, 1,
      none
    ),
    Scenario("a request that cannot be built", BalanceTarget(path: "a\nb"), [], .never, 0, none),
    Scenario("an adapter that refuses", BalanceTarget(), [Refusing()], .never, 0, none),
    Scenario(
      "three attempts", BalanceTarget(), [RetryPolicy(exponentialBackoffScale: 0)], .never, 3,
      { transport, _ in
        for _ in 0..<3 {
          transport.transfers.last?.answer(503)
          time.advance(by: 0)
        }
      }
    ),
    Scenario(
      "a cancel before the second attempt", BalanceTarget(), [RetryPolicy()], .never, 1,
      { transport, token in
        transport.transfers[0].answer(503)
        token.cancel()
      }
    ),
  ]

  private static let time = ManualDelayScheduler()

  @Test("in every case, and each request completes once", arguments: ways)
  func balance(way: Scenario) {
    for tracks in [false, true] {
      let transport = ScriptedTransport()
      let balance = BalanceCheck()
      let outcome = Outcome()
      let provider = NetworkProvider<BalanceTarget>(
        stubClosure: { [stub = way.stub] _ in stub }, transport: transport, plugins: [balance],
        interceptors: way.interceptors,
        trackInflights: tracks, scheduler: Self.time)
      let token = provider.request(way.asks, completion: outcome.completion)
      way.act(transport, token)
      let counts = balance.counts.withLock { $0 }
      #expect(counts == (way.began, way.began), "\(way.testDescription)")
      #expect(outcome.count == 1, "\(way.testDescription)")
    }
  }
}
