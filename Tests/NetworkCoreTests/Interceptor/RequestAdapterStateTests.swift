import Foundation
import class MoyaCompatibility.Adapter
import class MoyaCompatibility.Interceptor
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The identity of a request for adapters and retriers", .timeLimit(.minutes(5)))
struct RequestAdapterStateTests {
  /// Records the identifiers that it receives, and retries each request once.
  private struct RecordingInterceptor: RequestInterceptor {
    let log: Log
    let ids = Log()

    func adapt(
      _ urlRequest: URLRequest, using state: RequestAdapterState,
      completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
      ids("\(state.requestID)")
      log("adapt \(state.session.interceptor != nil)")
      completion(.success(urlRequest))
    }

    func retry(
      _ request: Request, for session: Session, dueTo error: any Error,
      completion: @escaping @Sendable (RetryResult) -> Void
    ) {
      ids("\(request.id)")
      completion(request.retryCount == 0 ? .retry : .doNotRetry)
    }
  }

  @Test("an identifier stays the same for all attempts of a request, also inside other interceptors")
  func identity() {
    let log = Log()
    let transport = ScriptedTransport { $0.respond(500) }
    let inner = RecordingInterceptor(log: log)
    let session = Session(transport: transport, interceptor: Interceptor(interceptors: [inner]))
    let provider = NetworkProvider<GitHub>(session: session)
    provider.request(.zen) { _ in }
    let first = inner.ids.all
    #expect(first.count == 4)
    #expect(Set(first).count == 1)
    provider.request(.zen) { _ in }
    #expect(Set(inner.ids.all).count == 2)
    #expect(log.all == Array(repeating: "adapt true", count: 4))
  }

  @Test("a state that a program creates has the given values")
  func created() {
    let (id, session) = (UUID(), Session(transport: ScriptedTransport()))
    let state = RequestAdapterState(requestID: id, session: session, retryCount: 3)
    #expect(state.requestID == id)
    #expect(state.session === session)
    #expect(state.retryCount == 3)
    #expect(RequestAdapterState(requestID: id, session: session).retryCount == 0)
  }

  @Test("an adapter that takes only the session receives it")
  func session() async throws {
    let session = Session(transport: ScriptedTransport())
    let log = Log()
    let adapter = Adapter { request, given, completion in
      log("\(given === session)")
      completion(.success(request))
    }
    let state = RequestAdapterState(requestID: UUID(), session: session)
    let request = URLRequest(url: URL(staticString: "http://h"))
    let result: Result<URLRequest, any Error> = await withCheckedContinuation { done in
      Interceptor(adapters: [adapter]).adapt(request, using: state) { done.resume(returning: $0) }
    }
    #expect(try result.get() == request)
    #expect(log.all == ["true"])
  }
}
