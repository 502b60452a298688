import Foundation
import MoyaCompatibility
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("The retry policies of Alamofire")
struct RetryPolicyFactoryTests {
  private let transport = ScriptedTransport()
  private let outcome = CompletionRecorder()
  private let time = ManualDelayScheduler()

  private struct SampleTarget: TargetType {
    var baseURL: URL { URL(staticString: "http://h") }
    var path: String { "" }
  }

  private func request(_ policy: RetryPolicy) {
    NetworkProvider<SampleTarget>(transport: transport, interceptors: [policy], scheduler: time)
      .request(SampleTarget(), completion: outcome.completion)
  }

  @Test("ConnectionLostRetryPolicy retries only lost connections")
  func connectionLost() {
    request(ConnectionLostRetryPolicy())
    transport.transfers[0].send(.finished(.connectionLost(reason: "")))
    time.advance(by: .seconds(1))
    #expect(transport.transfers.count == 2)
    transport.transfers[1].respond(503)
    #expect(outcome.summaries == ["503"])
    request(ConnectionLostRetryPolicy())
    transport.transfers[2].send(.finished(.timedOut(after: .seconds(1))))
    #expect(outcome.count == 2)
  }

  @Test("ConnectionLostRetryPolicy does not retry a request that another error kept from being sent")
  func unsent() {
    request(ConnectionLostRetryPolicy())
    transport.transfers[0].send(
      .finished(.cannotConnect(url: "http://h", reason: "refused", isUnsent: true)))
    time.advance(by: .seconds(1))
    #expect(transport.transfers.count == 1)
    #expect(outcome.count == 1)
    transport.finish()
  }

  @Test("the factory of a policy keeps its arguments")
  func arguments() {
    let policy = RetryPolicy.retryPolicy(
      retryLimit: 7, exponentialBackoffBase: 3, exponentialBackoffScale: 9, retryableHTTPMethods: [.post],
      retryableHTTPStatusCodes: [418], retryableURLErrorCodes: [.badURL], deadline: .seconds(4))
    #expect(policy.retryLimit == 7)
    #expect(policy.exponentialBackoffBase == 3)
    #expect(policy.exponentialBackoffScale == 9)
    #expect(policy.retryableHTTPMethods == [.post])
    #expect(policy.retryableHTTPStatusCodes == [418])
    #expect(policy.retryableURLErrorCodes == [.badURL])
    #expect(policy.deadline == .seconds(4))
  }

  @Test("the factories and the initializer also take a budget")
  func budgets() {
    let budget = RetryBudget(ratio: 0.5)
    #expect(RetryPolicy.retryPolicy(budget: budget).budget === budget)
    #expect(ConnectionLostRetryPolicy.connectionLostRetryPolicy(budget: budget).budget === budget)
    #expect(ConnectionLostRetryPolicy(budget: budget).budget === budget)
  }

  @Test("the initializer and the factory of a policy for lost connections keep their arguments")
  func connectionLostArguments() {
    for policy in [
      ConnectionLostRetryPolicy(
        retryLimit: 7, exponentialBackoffBase: 3, exponentialBackoffScale: 9, retryableHTTPMethods: [.post],
        deadline: .seconds(4)),
      .connectionLostRetryPolicy(
        retryLimit: 7, exponentialBackoffBase: 3, exponentialBackoffScale: 9, retryableHTTPMethods: [.post],
        deadline: .seconds(4)),
    ] {
      #expect(policy.retryLimit == 7)
      #expect(policy.exponentialBackoffBase == 3)
      #expect(policy.exponentialBackoffScale == 9)
      #expect(policy.retryableHTTPMethods == [.post])
      #expect(policy.deadline == .seconds(4))
      #expect(policy.retryableHTTPStatusCodes.isEmpty)
      #expect(policy.retryableURLErrorCodes == [.networkConnectionLost])
    }
  }
}
