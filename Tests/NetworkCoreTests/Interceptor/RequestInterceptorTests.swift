import Foundation
import class MoyaCompatibility.Adapter
import class MoyaCompatibility.Interceptor
import class MoyaCompatibility.Retrier
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Calls of interceptors, and their results", .timeLimit(.minutes(5)))
struct RequestInterceptorTests {
  private struct Failure: Error {}

  private struct RejectingInterceptor: RequestInterceptor {
    func adapt(
      _ urlRequest: URLRequest, for session: Session,
      completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) { completion(.failure(Failure())) }
  }

  private let transport = ScriptedTransport()
  private let outcome = CompletionRecorder()
  private let log = Log()

  private var retrying: ScriptedInterceptor { ScriptedInterceptor("I", log, [.retry]) }

  @Test("retriers are not called for a request that was not sent")
  func unsent() {
    NetworkProvider<GitHub>(transport: transport, interceptors: [retrying, RejectingInterceptor()])
      .request(.zen, completion: outcome.completion)
    #expect(log.all == ["I adapt"])
    #expect(outcome.count == 1)
    #expect(transport.transfers.isEmpty)
  }

  @Test("a retrier that returns the error of an accepted response leaves the response")
  func acceptedResponse() {
    let retrier = Retrier { _, _, error, completion in completion(.doNotRetryWithError(error)) }
    let provider = NetworkProvider<LoopbackTarget>(transport: transport, interceptors: [retrier])
    let target = LoopbackTarget(URL(staticString: "http://h"))
    for target in [target, target.with { $0.validationType = .successCodes }] {
      provider.request(target, completion: outcome.completion)
      transport.transfers.last?.respond(404)
    }
    #expect(outcome.summaries == ["404", "bad 404"])
  }

  @Test("retriers are not called for a transfer that the transport has cancelled")
  func cancelledByTransport() {
    NetworkProvider<GitHub>(transport: transport, interceptors: [retrying])
      .request(.zen, completion: outcome.completion)
    transport.transfers[0].send(.finished(.cancelled))
    #expect(outcome.summaries == ["cancelled"])
    #expect(log.all == ["I adapt"])
  }

  @Test("retriers are not called for a body that can be read only once", arguments: [true, false])
  func bodies(isRepeatable: Bool) {
    let stream = BodyStream(pieces: [Data("x".utf8)], isRepeatable: isRepeatable)
    let target = LoopbackTarget(URL(staticString: "http://h")).with {
      $0.method = .put
      $0.task = .uploadStream(stream)
    }
    NetworkProvider<LoopbackTarget>(transport: transport, interceptors: [retrying])
      .request(target, completion: outcome.completion)
    transport.transfers[0].respond(503)
    #expect(transport.transfers.count == (isRepeatable ? 2 : 1))
    transport.transfers.last?.respond(204)
    #expect(outcome.summaries == [isRepeatable ? "204" : "503"])
  }

  @Test("retriers are not called for a stream that the requestClosure has set")
  func foreignStream() {
    NetworkProvider<GitHub>(
      requestClosure: { _, done in
        var request = URLRequest(url: URL(staticString: "http://h"))
        request.httpMethod = "PUT"
        request.httpBodyStream = InputStream(data: Data("x".utf8))
        done(.success(request))
      }, transport: transport, interceptors: [retrying]
    ).request(.zen, completion: outcome.completion)
    transport.transfers[0].respond(503)
    #expect(transport.transfers.count == 1)
    #expect(outcome.summaries == ["503"])
  }

  @Test("only the first result of an adapter and of a retrier counts")
  func twice() {
    let interceptor = Interceptor(
      adapters: [
        Adapter { request, _, completion in
          completion(.success(request))
          completion(.failure(Failure()))
          completion(.success(request))
        }
      ],
      retriers: [
        Retrier { request, _, _, completion in
          completion(request.retryCount == 0 ? .retry : .doNotRetry)
          completion(.doNotRetry)
          completion(.retry)
        }
      ])
    NetworkProvider<GitHub>(transport: transport, interceptors: [interceptor])
      .request(.zen, completion: outcome.completion)
    #expect(transport.transfers.count == 1)
    transport.transfers[0].respond(503)
    #expect(transport.transfers.count == 2)
    #expect(outcome.count == 0)
    transport.transfers[1].respond(500)
    #expect(transport.transfers.count == 2)
    #expect(outcome.summaries == ["500"])
  }

  @Test("adapters after a failed adapter are not called")
  func composed() {
    let adapters: [any RequestAdapter] = [retrying, RejectingInterceptor(), ScriptedInterceptor("J", log)]
    NetworkProvider<GitHub>(transport: transport, interceptors: [Interceptor(adapters: adapters)])
      .request(.zen, completion: outcome.completion)
    #expect(log.all == ["I adapt"])
    #expect(outcome.count == 1)
  }

  @Test("the error of an asynchronous adapter ends the request, and a CancellationError cancels it")
  func asynchronous() async {
    struct ThrowingInterceptor: AsyncRequestInterceptor {
      let error: any Error
      func adapt(_ urlRequest: URLRequest, for session: Session) async throws -> URLRequest { throw error }
    }
    func result(_ error: any Error) async -> Result<Response, NetworkError> {
      let provider = NetworkProvider<GitHub>(
        transport: transport, interceptors: [ThrowingInterceptor(error: error)])
      return await withCheckedContinuation { done in provider.request(.zen) { done.resume(returning: $0) } }
    }
    let failed = await result(Failure())
    if case .failure(.underlying(_ as Failure, nil)) = failed {} else { Issue.record("\(failed)") }
    #expect(await result(CancellationError()).summary == "cancelled")
    #expect(transport.transfers.isEmpty)
  }
}
