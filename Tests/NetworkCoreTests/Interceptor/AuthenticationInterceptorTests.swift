import Dispatch
import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("AuthenticationInterceptor", .timeLimit(.minutes(5)))
struct AuthenticationInterceptorTests {
  private struct Token: AuthenticationCredential {
    var value: String
    var requiresRefresh = false
  }

  private struct Refused: Error, Equatable {}

  /// Completes its refreshes when the test calls `finish(_:)`.
  private final class TestAuthenticator: Authenticator {
    typealias Refreshed = @Sendable (Result<Token, any Error>) -> Void
    private let waiting = Lock([Refreshed]())
    private let refreshes = Lock(0)

    var refreshCount: Int { refreshes.withLock { $0 } }

    func apply(_ credential: Token, to urlRequest: inout URLRequest) {
      urlRequest.setValue("Bearer \(credential.value)", forHTTPHeaderField: "Authorization")
    }

    func refresh(_ credential: Token, for session: Session, completion: @escaping Refreshed) {
      refreshes.withLock { $0 += 1 }
      waiting.withLock { $0.append(completion) }
    }

    func didRequest(
      _ urlRequest: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error
    ) -> Bool {
      response.statusCode == 401
    }

    func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: Token) -> Bool {
      urlRequest.value(forHTTPHeaderField: "Authorization") == "Bearer \(credential.value)"
    }

    func finish(_ result: Result<Token, any Error>) {
      let completions = waiting.withLock { waiting in
        defer { waiting = [] }
        return waiting
      }
      for completion in completions { completion(result) }
    }
  }

  private let transport = ScriptedTransport()
  private let outcome = CompletionRecorder()
  private let tokens = TestAuthenticator()
  private let time = ManualDelayScheduler()

  private func provider(
    _ token: Token?, window: AuthenticationInterceptor<TestAuthenticator>.RefreshWindow? = .init()
  ) -> NetworkProvider<GitHub> {
    NetworkProvider(
      transport: transport,
      interceptors: [
        AuthenticationInterceptor(
          authenticator: tokens, credential: token, refreshWindow: window, scheduler: time)
      ])
  }

  private var sent: [String?] { transport.transfers.map { $0.request.headers["Authorization"] } }

  @Test("a valid credential is sent")
  func valid() {
    provider(Token(value: "a")).request(.zen, completion: outcome.completion)
    #expect(sent == ["Bearer a"])
    transport.transfers[0].respond()
    #expect(tokens.refreshCount == 0)
  }

  @Test("without a credential the request fails unsent")
  func missing() {
    provider(nil).request(.zen, completion: outcome.completion)
    guard case .underlying(AuthenticationError.missingCredential, nil)? = outcome.error else {
      Issue.record("\(outcome.summaries)")
      return
    }
    #expect(transport.transfers.isEmpty)
  }

  @Test("requests that find the credential expired wait for one refresh")
  func expired() {
    let provider = provider(Token(value: "old", requiresRefresh: true))
    for _ in 0..<5 { provider.request(.zen, completion: outcome.completion) }
    #expect(transport.transfers.isEmpty)
    #expect(tokens.refreshCount == 1)
    tokens.finish(.success(Token(value: "new")))
    time.advance(by: .zero)
    #expect(sent == Array(repeating: "Bearer new", count: 5))
    transport.transfers.forEach { $0.respond() }
    #expect(outcome.summaries == Array(repeating: "200", count: 5))
  }

  @Test("any number of 401s cause one refresh, and all are retried; requests made during the refresh wait")
  func refused() {
    let provider = provider(Token(value: "old"))
    for _ in 0..<20 { provider.request(.zen, completion: outcome.completion) }
    transport.transfers.forEach { $0.respond(401) }
    provider.request(.zen, completion: outcome.completion)
    #expect(tokens.refreshCount == 1)
    #expect(transport.transfers.count == 20)
    tokens.finish(.success(Token(value: "new")))
    time.advance(by: .zero)
    #expect(sent.suffix(21) == Array(repeating: "Bearer new", count: 21)[...])
    transport.transfers.suffix(21).forEach { $0.respond() }
    #expect(outcome.summaries == Array(repeating: "200", count: 21))
    #expect(tokens.refreshCount == 1)
  }

  @Test("a request whose 401 to the old credential arrives after the refresh is retried without another one")
  func late() {
    let provider = provider(Token(value: "old"))
    for _ in 0..<2 { provider.request(.zen, completion: outcome.completion) }
    transport.transfers[0].respond(401)
    tokens.finish(.success(Token(value: "new")))
    transport.transfers[1].respond(401)
    #expect(sent == ["Bearer old", "Bearer old", "Bearer new", "Bearer new"])
    #expect(tokens.refreshCount == 1)
    transport.transfers.suffix(2).forEach { $0.respond() }
    #expect(outcome.count == 2)
  }

  @Test("a failed refresh ends all waiting requests with its error")
  func refreshFails() {
    let provider = provider(Token(value: "old"))
    for _ in 0..<3 { provider.request(.zen, completion: outcome.completion) }
    transport.transfers.forEach { $0.respond(401) }
    provider.request(.zen, completion: outcome.completion)
    tokens.finish(.failure(Refused()))
    time.advance(by: .zero)
    #expect(outcome.count == 4)
    for result in outcome.all {
      guard case .failure(.underlying(let error, nil)) = result else {
        Issue.record("\(result)")
        continue
      }
      #expect(error is Refused)
    }
    #expect(transport.transfers.count == 3)
  }

  @Test("a 401 that arrives after the failed refresh ends with its error too; a new request refreshes again")
  func lateAfterFailure() {
    let provider = provider(Token(value: "old"))
    for _ in 0..<3 { provider.request(.zen, completion: outcome.completion) }
    transport.transfers[0].respond(401)
    tokens.finish(.failure(Refused()))
    transport.transfers[1].respond(401)
    transport.transfers[2].respond(401)
    #expect(tokens.refreshCount == 1)
    #expect(outcome.count == 3)
    for result in outcome.all {
      guard case .failure(.underlying(let error, nil)) = result else {
        Issue.record("\(result)")
        continue
      }
      #expect(error is Refused)
    }
    provider.request(.zen, completion: outcome.completion)
    transport.transfers.last?.respond(401)
    #expect(tokens.refreshCount == 2)
    tokens.finish(.success(Token(value: "new")))
    transport.transfers.last?.respond()
    #expect(outcome.summaries.last == "200")
  }

  @Test("a refresh that fails before it returns is the only one for all requests that were sent before")
  func immediateFailure() {
    final class RejectingAuthenticator: Authenticator {
      let refreshes = Lock(0)
      func apply(_ credential: Token, to urlRequest: inout URLRequest) {}
      func refresh(
        _ credential: Token, for session: Session,
        completion: @escaping @Sendable (Result<Token, any Error>) -> Void
      ) {
        refreshes.withLock { $0 += 1 }
        completion(.failure(Refused()))
      }
      func didRequest(
        _ urlRequest: URLRequest, with response: HTTPURLResponse,
        failDueToAuthenticationError error: any Error
      ) -> Bool { true }
      func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: Token) -> Bool { true }
    }
    let refusing = RejectingAuthenticator()
    let provider = NetworkProvider<GitHub>(
      transport: transport,
      interceptors: [
        AuthenticationInterceptor(authenticator: refusing, credential: Token(value: "a"), scheduler: time)
      ])
    for _ in 0..<20 { provider.request(.zen, completion: outcome.completion) }
    transport.transfers.forEach { $0.respond(401) }
    #expect(refusing.refreshes.withLock { $0 } == 1)
    #expect(outcome.count == 20)
    #expect(
      outcome.all.allSatisfy { result in
        if case .failure(.underlying(let error, nil)) = result { error is Refused } else { false }
      })
  }

  @Test("a credential that is set during a refresh takes precedence over the result of the refresh")
  func setMeanwhile() {
    let interceptor = AuthenticationInterceptor(
      authenticator: tokens, credential: Token(value: "old"), scheduler: time)
    let provider = NetworkProvider<GitHub>(transport: transport, interceptors: [interceptor])
    provider.request(.zen, completion: outcome.completion)
    transport.transfers[0].respond(401)
    interceptor.credential = Token(value: "login")
    tokens.finish(.success(Token(value: "refreshed")))
    #expect(sent == ["Bearer old", "Bearer login"])
    #expect(interceptor.credential?.value == "login")
    transport.transfers.last?.respond(401)
    interceptor.credential = nil
    tokens.finish(.success(Token(value: "refreshed")))
    #expect(interceptor.credential == nil)
    guard case .underlying(AuthenticationError.missingCredential, nil)? = outcome.error else {
      Issue.record("\(outcome.summaries)")
      return
    }
  }

  @Test("a request that waits for a refresh is not sent after a logout")
  func logoutWhileExpired() {
    let interceptor = AuthenticationInterceptor(
      authenticator: tokens, credential: Token(value: "old", requiresRefresh: true), scheduler: time)
    NetworkProvider<GitHub>(transport: transport, interceptors: [interceptor])
      .request(.zen, completion: outcome.completion)
    #expect(tokens.refreshCount == 1)
    interceptor.credential = nil
    tokens.finish(.success(Token(value: "refreshed")))
    #expect(sent.isEmpty)
    guard case .underlying(AuthenticationError.missingCredential, nil)? = outcome.error else {
      Issue.record("\(outcome.summaries)")
      return
    }
  }

  @Test("another failure is not mistaken for a refused credential", arguments: [403, 500])
  func otherFailures(status: Int) {
    provider(Token(value: "a")).request(.zen, completion: outcome.completion)
    transport.transfers[0].respond(status)
    #expect(outcome.summaries == ["\(status)"])
    #expect(tokens.refreshCount == 0)
  }

  @Test("refreshes for a server that never accepts stop at the limit, until the window has passed")
  func window() {
    let provider = provider(Token(value: "0"), window: .init(interval: 30, maximumAttempts: 2))
    provider.request(.zen, completion: outcome.completion)
    for round in 1...2 {
      transport.transfers.last?.respond(401)
      tokens.finish(.success(Token(value: "\(round)")))
    }
    transport.transfers.last?.respond(401)
    guard case .underlying(AuthenticationError.excessiveRefresh, nil)? = outcome.error else {
      Issue.record("\(outcome.summaries)")
      return
    }
    #expect(sent == ["Bearer 0", "Bearer 1", "Bearer 2"])
    time.advance(by: .seconds(31))
    provider.request(.zen, completion: outcome.completion)
    transport.transfers.last?.respond(401)
    #expect(tokens.refreshCount == 3)
    tokens.finish(.success(Token(value: "3")))
    transport.transfers.last?.respond()
    #expect(outcome.summaries.last == "200")
  }

  @Test("the window also limits the refreshes of a credential that is expired again after each of them")
  func expiredAgain() {
    let provider = provider(
      Token(value: "0", requiresRefresh: true), window: .init(interval: 30, maximumAttempts: 2))
    for round in 1...2 {
      provider.request(.zen, completion: outcome.completion)
      tokens.finish(.success(Token(value: "\(round)", requiresRefresh: true)))
    }
    provider.request(.zen, completion: outcome.completion)
    #expect(tokens.refreshCount == 2)
    // Ends a refresh that should not have begun, which would keep its request alive.
    tokens.finish(.failure(Refused()))
    guard case .underlying(AuthenticationError.excessiveRefresh, nil)? = outcome.error else {
      Issue.record("\(outcome.summaries)")
      return
    }
    #expect(sent == ["Bearer 1", "Bearer 2"])
    transport.transfers.forEach { $0.respond() }
    #expect(outcome.summaries.suffix(2) == ["200", "200"])
  }

  @Test("a request that is refused after a logout fails because no credential is set")
  func refusedAfterLogout() {
    let interceptor = AuthenticationInterceptor(
      authenticator: tokens, credential: Token(value: "a"), scheduler: time)
    NetworkProvider<GitHub>(transport: transport, interceptors: [interceptor])
      .request(.zen, completion: outcome.completion)
    interceptor.credential = nil
    transport.transfers[0].respond(401)
    #expect(tokens.refreshCount == 0)
    guard case .underlying(AuthenticationError.missingCredential, nil)? = outcome.error else {
      Issue.record("\(outcome.summaries)")
      return
    }
  }

  @Test("a cancel does not affect the refresh or other requests")
  func cancel() {
    let provider = provider(Token(value: "old", requiresRefresh: true))
    let token = provider.request(.zen, completion: outcome.completion)
    provider.request(.zen, completion: outcome.completion)
    token.cancel()
    #expect(outcome.summaries == ["cancelled"])
    tokens.finish(.success(Token(value: "new")))
    time.advance(by: .zero)
    #expect(sent == ["Bearer new"])
    transport.transfers[0].respond()
    #expect(outcome.summaries == ["cancelled", "200"])
  }

  @Test("a completion that waits for another request of the same refresh does not delay that one")
  func waitingCompletion() async {
    let provider = NetworkProvider<GitHub>(
      transport: transport,
      interceptors: [
        AuthenticationInterceptor(
          authenticator: tokens, credential: Token(value: "old", requiresRefresh: true))
      ])
    let second = DispatchSemaphore(value: 0)
    await withCheckedContinuation { done in
      provider.request(.zen) { _ in
        second.wait()
        done.resume()
      }
      provider.request(.zen) { _ in second.signal() }
      DispatchQueue.global().async { tokens.finish(.failure(Refused())) }
    }
    #expect(tokens.refreshCount == 1)
  }

  /// Logs whether it gets the expected session.
  private final class SessionAuthenticator: Authenticator {
    private let session: Session
    private let log: Log

    init(_ session: Session, _ log: Log) { (self.session, self.log) = (session, log) }

    func apply(_ credential: Token, to urlRequest: inout URLRequest) {}

    func refresh(
      _ credential: Token, for session: Session,
      completion: @escaping @Sendable (Result<Token, any Error>) -> Void
    ) {
      log("\(credential.value) \(session === self.session)")
      completion(.success(Token(value: "new")))
    }

    func didRequest(
      _ urlRequest: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error
    ) -> Bool { response.statusCode == 401 }

    func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: Token) -> Bool { true }
  }

  @Test(
    "a refresh gets the session of the request, whose credential has expired or was refused",
    arguments: [true, false])
  func sessionOfRefresh(isExpired: Bool) {
    let (session, log) = (Session(transport: transport), Log())
    let interceptor = AuthenticationInterceptor(
      authenticator: SessionAuthenticator(session, log),
      credential: Token(value: "old", requiresRefresh: isExpired), scheduler: time)
    NetworkProvider<GitHub>(session: session, interceptors: [interceptor])
      .request(.zen, completion: outcome.completion)
    if !isExpired { transport.transfers[0].respond(401) }
    #expect(log.all == ["old true"])
    transport.transfers.last?.respond()
    #expect(outcome.summaries == ["200"])
  }

  @Test("an authenticator that drops its completion has failed")
  func droppedRefresh() {
    final class UnresponsiveAuthenticator: Authenticator {
      func apply(_ credential: Token, to urlRequest: inout URLRequest) {}
      func refresh(
        _ credential: Token, for session: Session,
        completion: @escaping @Sendable (Result<Token, any Error>) -> Void
      ) {}
      func didRequest(
        _ urlRequest: URLRequest, with response: HTTPURLResponse,
        failDueToAuthenticationError error: any Error
      ) -> Bool { true }
      func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: Token) -> Bool { true }
    }
    NetworkProvider<GitHub>(
      transport: transport,
      interceptors: [
        AuthenticationInterceptor(
          authenticator: UnresponsiveAuthenticator(), credential: Token(value: "a", requiresRefresh: true))
      ]
    ).request(.zen, completion: outcome.completion)
    #expect(outcome.count == 1)
    #expect(outcome.response == nil)
  }

  @Test("64 parallel requests on the wire share one refresh", arguments: TransportKind.allCases)
  func wire(kind: TransportKind) async throws {
    final class AsyncAuthenticator: Authenticator {
      private let refreshes = Lock(0)
      var refreshCount: Int { refreshes.withLock { $0 } }
      func apply(_ credential: Token, to urlRequest: inout URLRequest) {
        urlRequest.setValue(credential.value, forHTTPHeaderField: "Authorization")
      }
      func refresh(
        _ credential: Token, for session: Session,
        completion: @escaping @Sendable (Result<Token, any Error>) -> Void
      ) {
        refreshes.withLock { $0 += 1 }
        DispatchQueue.global().async { completion(.success(Token(value: "new"))) }
      }
      func didRequest(
        _ urlRequest: URLRequest, with response: HTTPURLResponse,
        failDueToAuthenticationError error: any Error
      ) -> Bool { response.statusCode == 401 }
      func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: Token) -> Bool {
        urlRequest.value(forHTTPHeaderField: "Authorization") == credential.value
      }
    }
    let server = try LoopbackServer { .status($0.headers["Authorization"] == "new" ? 200 : 401) }
    let login = AsyncAuthenticator()
    let provider = NetworkProvider<LoopbackTarget>(
      transport: try kind.make(),
      interceptors: [AuthenticationInterceptor(authenticator: login, credential: Token(value: "old"))])
    let target = LoopbackTarget(server)
    let summaries = await withTaskGroup(of: String.self) { group in
      for _ in 0..<64 { group.addTask { await provider.result(target).summary } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(summaries == Array(repeating: "200", count: 64))
    #expect(login.refreshCount == 1)
  }
}
