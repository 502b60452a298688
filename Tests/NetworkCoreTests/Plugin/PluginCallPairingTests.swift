import Foundation
import ReactiveNetworkLock
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Each willSend is followed by exactly one didReceive")
struct PluginCallPairingTests {
  /// Counts the requests that have begun and ended, and expects that none ends before it has begun.
  private final class PairingCheck: PluginType {
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

  struct PairingTarget: TargetType {
    var task = HTTPTask.requestPlain
    var path = ""
    var method = HTTPMethod.get
    var validationType = ValidationType.none
    var baseURL: URL { URL(staticString: "http://h") }
  }

  private struct RejectingInterceptor: RequestInterceptor {
    func adapt(
      _ urlRequest: URLRequest, for session: Session,
      completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) { completion(.failure(TransferError.cancelled)) }
  }

  /// A request, the events during it, and the expected number of attempts.
  struct Scenario: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let target: PairingTarget
    let interceptors: [any RequestInterceptor]
    let stub: StubBehavior
    let began: Int
    let action: Action

    init(
      _ name: String, _ target: PairingTarget, _ interceptors: [any RequestInterceptor], _ stub: StubBehavior,
      _ began: Int, _ action: @escaping Action
    ) {
      testDescription = name
      self.target = target
      self.interceptors = interceptors
      self.stub = stub
      self.began = began
      self.action = action
    }
  }

  typealias Action = @Sendable (ScriptedTransport, any Cancellable) -> Void

  private static let none: Action = { _, _ in }
  private static let head = TransferEvent.head(ResponseHead(statusCode: 200, url: "http://h", headers: [:]))

  private static let scenarios: [Scenario] = [
    Scenario(
      "a response", PairingTarget(), [], .never, 1, { transport, _ in transport.transfers[0].respond() }),
    Scenario(
      "two ends", PairingTarget(), [], .never, 1,
      { transport, _ in transport.transfers[0].send(head, .finished(nil), .finished(.cancelled)) }
    ),
    Scenario(
      "a bad status", PairingTarget(validationType: .successCodes), [], .never, 1,
      { transport, _ in transport.transfers[0].respond(404) }
    ),
    Scenario(
      "no head", PairingTarget(), [], .never, 1,
      { transport, _ in transport.transfers[0].send(.finished(nil)) }),
    Scenario(
      "a lost transfer", PairingTarget(), [], .never, 1,
      { transport, _ in transport.transfers[0].releaseHandler() }),
    Scenario("a cancel", PairingTarget(), [], .never, 1, { _, token in token.cancel() }),
    Scenario(
      "a cancel during the body", PairingTarget(), [], .never, 1,
      { transport, token in
        transport.transfers[0].send(head, .body(Data("x".utf8)))
        token.cancel()
        transport.transfers[0].send(.finished(.cancelled))
      }
    ),
    Scenario(
      "a cancel after the end", PairingTarget(), [], .never, 1,
      { transport, token in
        transport.transfers[0].respond()
        token.cancel()
      }
    ),
    Scenario("a stub", PairingTarget(), [], .immediate, 1, none),
    Scenario(
      "a cancelled stub", PairingTarget(), [], .delayed(seconds: 100), 1, { _, token in token.cancel() }),
    Scenario(
      "a form that cannot be sent", PairingTarget(task: .uploadMultipartFormData([]), method: .post), [],
      .never, 1,
      none
    ),
    Scenario("a request that cannot be built", PairingTarget(path: "a\nb"), [], .never, 0, none),
    Scenario("an adapter that refuses", PairingTarget(), [RejectingInterceptor()], .never, 0, none),
    Scenario(
      "three attempts", PairingTarget(), [RetryPolicy(exponentialBackoffScale: 0)], .never, 3,
      { transport, _ in
        for _ in 0..<3 {
          transport.transfers.last?.respond(503)
          time.advance(by: .zero)
        }
      }
    ),
    Scenario(
      "a cancel before the second attempt", PairingTarget(), [RetryPolicy()], .never, 1,
      { transport, token in
        transport.transfers[0].respond(503)
        token.cancel()
      }
    ),
  ]

  private static let time = ManualDelayScheduler()

  @Test("calls are paired in every case, and each request completes once", arguments: scenarios)
  func balance(way: Scenario) {
    for tracks in [false, true] {
      let transport = ScriptedTransport()
      let balance = PairingCheck()
      let outcome = CompletionRecorder()
      let provider = NetworkProvider<PairingTarget>(
        stubClosure: { [stub = way.stub] _ in stub }, transport: transport, plugins: [balance],
        interceptors: way.interceptors,
        trackInflights: tracks, scheduler: Self.time)
      let token = provider.request(way.target, completion: outcome.completion)
      way.action(transport, token)
      let counts = balance.counts.withLock { $0 }
      #expect(counts == (way.began, way.began), "\(way.testDescription)")
      #expect(outcome.count == 1, "\(way.testDescription)")
    }
  }
}
