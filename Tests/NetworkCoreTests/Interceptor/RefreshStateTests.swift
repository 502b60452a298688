import Foundation
import ReactiveNetworkLock
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Refreshes of a credential")
struct RefreshStateTests {
  private struct Token: AuthenticationCredential {
    var value: String
    var requiresRefresh: Bool { false }
  }

  private struct Refused: Error {}

  /// Keeps the completion of each refresh, so that a test can call it more than once.
  private final class TestAuthenticator: Authenticator {
    typealias Refreshed = @Sendable (Result<Token, any Error>) -> Void
    private let refreshes = Lock([Refreshed]())
    /// Called within each refresh.
    let onRefresh = Lock<(@Sendable () -> Void)?>(nil)

    var refreshCount: Int { refreshes.withLock { $0.count } }

    func apply(_ credential: Token, to urlRequest: inout URLRequest) {
      urlRequest.setValue(credential.value, forHTTPHeaderField: "Authorization")
    }

    func refresh(_ credential: Token, for session: Session, completion: @escaping Refreshed) {
      refreshes.withLock { $0.append(completion) }
      onRefresh.withLock { $0 }?()
    }

    func didRequest(
      _ urlRequest: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error
    ) -> Bool {
      response.statusCode == 401
    }

    func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: Token) -> Bool {
      urlRequest.value(forHTTPHeaderField: "Authorization") == credential.value
    }

    /// Completes the refresh with this number, counted from 0.
    func finish(_ index: Int, _ result: Result<Token, any Error>) {
      let refresh = refreshes.withLock { $0.indices.contains(index) ? $0[index] : nil }
      refresh?(result)
    }

    /// Drops the closures, which keep the interceptor alive.
    func forget() {
      onRefresh.withLock { $0 = nil }
      let dropped = refreshes.withLock { refreshes in
        defer { refreshes = [] }
        return refreshes
      }
      withExtendedLifetime(dropped) {}
    }
  }

  private typealias Interception = AuthenticationInterceptor<TestAuthenticator>

  private let transport = ScriptedTransport()
  private let outcome = CompletionRecorder()
  private let tokens = TestAuthenticator()
  private let time = ManualDelayScheduler()

  private func interceptor(_ window: Interception.RefreshWindow? = .init()) -> Interception {
    Interception(
      authenticator: tokens, credential: Token(value: "0"), refreshWindow: window, scheduler: time)
  }

  private func provider(_ interceptors: any RequestInterceptor...) -> NetworkProvider<GitHub> {
    NetworkProvider(transport: transport, interceptors: interceptors, scheduler: time)
  }

  private var sent: [String?] { transport.transfers.map { $0.request.headers["Authorization"] } }

  @Test("end after their limit, as do the requests that wait, but a late credential counts")
  func timeout() {
    defer { tokens.forget() }
    let provider = provider(interceptor())
    for _ in 0..<2 { provider.request(.zen, completion: outcome.completion) }
    for transfer in transport.transfers { transfer.respond(401) }
    time.advance(by: .seconds(119))
    #expect(outcome.summaries.isEmpty)
    time.advance(by: .seconds(1))
    #expect(outcome.summaries.count == 2)
    guard case .underlying(let error as RefreshTimeoutError, _)? = outcome.error else {
      Issue.record("\(outcome.summaries)")
      return
    }
    #expect(error.refresher == "AuthenticationInterceptor<TestAuthenticator>")
    #expect(error.limit == .seconds(120))
    tokens.finish(0, .success(Token(value: "late")))
    #expect(tokens.refreshCount == 1)
    provider.request(.zen, completion: outcome.completion)
    transport.transfers.last?.respond()
    #expect(sent.last == "late")
    #expect(outcome.summaries.last == "200")
  }

  @Test("give their late credential to a request that is refused with the one before")
  func lateRefusal() {
    defer { tokens.forget() }
    let provider = provider(interceptor())
    for _ in 0..<2 { provider.request(.zen, completion: outcome.completion) }
    transport.transfers[0].respond(401)
    time.advance(by: .seconds(120))
    tokens.finish(0, .success(Token(value: "late")))
    transport.transfers[1].respond(401)
    #expect(sent == ["0", "0", "late"])
    transport.transfers.last?.respond()
    #expect(outcome.summaries.last == "200")
    #expect(tokens.refreshCount == 1)
  }

  @Test(
    "count if they succeed late, while another one runs, whose own credential is newer",
    arguments: [false, true])
  func lateDuringAnother(succeeds: Bool) {
    defer { tokens.forget() }
    let interceptor = interceptor()
    let provider = provider(interceptor)
    provider.request(.zen, completion: outcome.completion)
    transport.transfers[0].respond(401)
    time.advance(by: .seconds(120))
    provider.request(.zen, completion: outcome.completion)
    transport.transfers[1].respond(401)
    #expect(tokens.refreshCount == 2)
    tokens.finish(0, .success(Token(value: "late")))
    #expect(interceptor.credential?.value == "late")
    tokens.finish(1, succeeds ? .success(Token(value: "newer")) : .failure(Refused()))
    #expect(interceptor.credential?.value == (succeeds ? "newer" : "late"))
    #expect(sent == ["0", "0", succeeds ? "newer" : "late"])
    transport.transfers.last?.respond()
    #expect(outcome.summaries.last == "200")
  }

  @Test("give the credential of the later one if two succeed late")
  func twoLate() {
    defer { tokens.forget() }
    let interceptor = interceptor()
    let provider = provider(interceptor)
    for number in 0..<2 {
      provider.request(.zen, completion: outcome.completion)
      transport.transfers[number].respond(401)
      time.advance(by: .seconds(120))
    }
    for number in [0, 1, 0] { tokens.finish(number, .success(Token(value: "late \(number)"))) }
    #expect(interceptor.credential?.value == "late 1")
  }

  @Test("continue without the requests that waited, which are released when they are cancelled")
  func cancelledWaiters() {
    defer { tokens.forget() }
    let interceptor = interceptor()
    let provider = provider(interceptor)
    provider.request(.zen, completion: outcome.completion)
    weak var refused: AnyObject?
    weak var late: AnyObject?
    do {
      let token = provider.request(.zen, completion: outcome.completion)
      for transfer in transport.transfers { transfer.respond(401) }
      let lateToken = provider.request(.zen, completion: outcome.completion)
      (refused, late) = (token as AnyObject, lateToken as AnyObject)
      transport.forget()
      token.cancel()
      lateToken.cancel()
    }
    #expect(refused == nil)
    #expect(late == nil)
    #expect(outcome.summaries == ["cancelled", "cancelled"])
    #expect(tokens.refreshCount == 1)
    tokens.finish(0, .success(Token(value: "new")))
    #expect(interceptor.credential?.value == "new")
    #expect(sent == ["new"])
    transport.finish()
  }

  @Test("have no effect on a later credential if they end late")
  func lateRefresh() {
    defer { tokens.forget() }
    let interceptor = interceptor()
    let provider = provider(interceptor)
    provider.request(.zen, completion: outcome.completion)
    transport.transfers.last?.respond(401)
    time.advance(by: .seconds(120))
    interceptor.credential = Token(value: "login")
    tokens.finish(0, .success(Token(value: "late")))
    #expect(interceptor.credential?.value == "login")
  }

  @Test("let a request wait that their code starts for another purpose", arguments: [false, true])
  func requestWithin(inTask: Bool) async {
    defer { tokens.forget() }
    let provider = provider(interceptor())
    let outcome = outcome
    let isMade = Lock(false)
    tokens.onRefresh.withLock { onRefresh in
      onRefresh = {
        let request = { @Sendable in
          provider.request(.zen, completion: outcome.completion)
          isMade.withLock { $0 = true }
        }
        if inTask { Task { request() } } else { request() }
      }
    }
    provider.request(.zen, completion: outcome.completion)
    transport.transfers.last?.respond(401)
    await suspendUntil { isMade.withLock { $0 } }
    #expect(outcome.summaries.isEmpty)
    tokens.finish(0, .success(Token(value: "1")))
    time.advance(by: .zero)
    #expect(sent == ["0", "1", "1"])
    for transfer in transport.transfers.suffix(2) { transfer.respond() }
    #expect(outcome.summaries == ["200", "200"])
  }

  @Test("end after their limit if they wait for a request that waits for them")
  func cycle() {
    defer { tokens.forget() }
    let provider = provider(interceptor())
    tokens.onRefresh.withLock { [tokens] onRefresh in
      onRefresh = {
        provider.request(.zen) { result in
          tokens.finish(0, result.map { _ in Token(value: "1") }.mapError { $0 as any Error })
        }
      }
    }
    provider.request(.zen, completion: outcome.completion)
    transport.transfers.last?.respond(401)
    time.advance(by: .seconds(119))
    #expect(outcome.summaries.isEmpty)
    time.advance(by: .seconds(1))
    #expect(outcome.count == 1)
    guard case .underlying(is RefreshTimeoutError, _)? = outcome.error else {
      Issue.record("\(outcome.summaries)")
      return
    }
    #expect(sent == ["0"])
  }

  @Test("may take any time without a limit, and end once with one")
  func noTimeout() {
    defer { tokens.forget() }
    let interceptor = Interception(
      authenticator: tokens, credential: Token(value: "0"), longestRefresh: nil, scheduler: time)
    provider(interceptor).request(.zen, completion: outcome.completion)
    transport.transfers.last?.respond(401)
    time.advance(by: .seconds(100_000))
    #expect(outcome.summaries.isEmpty)
    tokens.finish(0, .success(Token(value: "1")))
    transport.transfers.last?.respond()
    #expect(outcome.summaries == ["200"])
  }

  @Test("leave no timer when they have ended")
  func timer() {
    defer { tokens.forget() }
    provider(interceptor()).request(.zen, completion: outcome.completion)
    transport.transfers.last?.respond(401)
    #expect(time.pendingCount == 1)
    tokens.finish(0, .success(Token(value: "1")))
    #expect(time.pendingCount == 0)
    transport.transfers.last?.respond()
    #expect(outcome.summaries == ["200"])
  }

  @Test(
    "are not limited without a window, or by one that has no length",
    arguments: [nil, -1, .nan] as [TimeInterval?])
  func noWindow(interval: TimeInterval?) {
    defer { tokens.forget() }
    provider(interceptor(interval.map { .init(interval: $0) })).request(.zen, completion: outcome.completion)
    for round in 1...50 {
      transport.transfers.last?.respond(401)
      tokens.finish(round - 1, .success(Token(value: "\(round)")))
    }
    transport.transfers.last?.respond()
    #expect(outcome.summaries == ["200"])
    #expect(tokens.refreshCount == 50)
  }

  @Test("count until the window has passed since each of them")
  func window() {
    defer { tokens.forget() }
    let provider = provider(interceptor(.init(interval: 30, maximumAttempts: 2)))
    func refuse() {
      provider.request(.zen, completion: outcome.completion)
      transport.transfers.last?.respond(401)
    }
    for round in 0..<2 {
      refuse()
      tokens.finish(round, .success(Token(value: "\(round + 1)")))
      transport.transfers.last?.respond()
      time.advance(by: .seconds(round == 0 ? 20 : 10))
    }
    // The first was 30 seconds ago, the second 10.
    refuse()
    guard case .underlying(AuthenticationError.excessiveRefresh, nil)? = outcome.error else {
      Issue.record("\(outcome.summaries)")
      return
    }
    time.advance(by: .milliseconds(500))
    refuse()
    #expect(tokens.refreshCount == 3)
    tokens.finish(2, .success(Token(value: "3")))
    transport.transfers.last?.respond()
    #expect(outcome.summaries.last == "200")
  }

  @Test("count once in the window for all requests that wait for them")
  func windowWithWaiters() {
    defer { tokens.forget() }
    let provider = provider(interceptor(.init(interval: 30, maximumAttempts: 2)))
    for _ in 0..<5 { provider.request(.zen, completion: outcome.completion) }
    for transfer in transport.transfers { transfer.respond(401) }
    tokens.finish(0, .success(Token(value: "1")))
    time.advance(by: .zero)
    transport.transfers.dropFirst(5).first?.respond(401)
    #expect(tokens.refreshCount == 2)
    tokens.finish(1, .success(Token(value: "2")))
    for transfer in transport.transfers.dropFirst(6) { transfer.respond() }
    #expect(outcome.summaries == Array(repeating: "200", count: 5))
  }

  @Test("no longer count after the clock was set back")
  func clockSetBack() {
    defer { tokens.forget() }
    let clock = SettableClock()
    let interceptor = Interception(
      authenticator: tokens, credential: Token(value: "0"),
      refreshWindow: .init(interval: 30, maximumAttempts: 1),
      scheduler: clock)
    let provider = provider(interceptor)
    for round in 0..<2 {
      provider.request(.zen, completion: outcome.completion)
      transport.transfers.last?.respond(401)
      tokens.finish(round, .success(Token(value: "\(round + 1)")))
      transport.transfers.last?.respond()
      clock.time.withLock { $0 -= 3_600 }
    }
    #expect(outcome.summaries == ["200", "200"])
  }

  @Test("count although a thread that comes later has read the clock earlier")
  func readingsInAnotherOrder() {
    defer { tokens.forget() }
    let clock = SettableClock()
    let interceptor = Interception(
      authenticator: tokens, credential: Token(value: "0"),
      refreshWindow: .init(interval: 30, maximumAttempts: 1),
      scheduler: clock)
    provider(interceptor).request(.zen, completion: outcome.completion)
    transport.transfers.last?.respond(401)
    clock.time.withLock { $0 -= 0.125 }
    tokens.finish(0, .success(Token(value: "1")))
    transport.transfers.last?.respond(401)
    #expect(sent == ["0", "1"])
    #expect(tokens.refreshCount == 1)
    guard case .underlying(AuthenticationError.excessiveRefresh, nil)? = outcome.error else {
      Issue.record("\(outcome.summaries)")
      return
    }
  }

  @Test("are limited to five in half a minute by default")
  func defaultWindow() {
    defer { tokens.forget() }
    let provider = provider(interceptor())
    provider.request(.zen, completion: outcome.completion)
    for round in 0..<5 {
      transport.transfers.last?.respond(401)
      tokens.finish(round, .success(Token(value: "\(round + 1)")))
    }
    time.advance(by: .seconds(30))
    transport.transfers.last?.respond(401)
    #expect(tokens.refreshCount == 5)
    guard case .underlying(AuthenticationError.excessiveRefresh, nil)? = outcome.error else {
      Issue.record("\(outcome.summaries)")
      return
    }
    time.advance(by: .milliseconds(500))
    provider.request(.zen, completion: outcome.completion)
    transport.transfers.last?.respond(401)
    #expect(tokens.refreshCount == 6)
    tokens.finish(5, .success(Token(value: "6")))
    transport.transfers.last?.respond()
    #expect(outcome.summaries.last == "200")
  }

  @Test("use only the first result, even while another refresh is in progress")
  func answers() {
    defer { tokens.forget() }
    let interceptor = interceptor()
    provider(interceptor).request(.zen, completion: outcome.completion)
    transport.transfers[0].respond(401)
    tokens.finish(0, .success(Token(value: "1")))
    tokens.finish(0, .success(Token(value: "again")))
    #expect(interceptor.credential?.value == "1")
    transport.transfers[1].respond(401)
    tokens.finish(0, .success(Token(value: "late")))
    #expect(interceptor.credential?.value == "1")
    tokens.finish(1, .success(Token(value: "2")))
    #expect(sent == ["0", "1", "2"])
    transport.transfers.last?.respond()
    #expect(outcome.summaries == ["200"])
  }

  @Test("that fail after a login let the requests that wait be sent with the credential of the login")
  func failureAfterLogin() {
    defer { tokens.forget() }
    let interceptor = interceptor()
    provider(interceptor).request(.zen, completion: outcome.completion)
    transport.transfers[0].respond(401)
    interceptor.credential = Token(value: "login")
    tokens.finish(0, .failure(Refused()))
    #expect(sent == ["0", "login"])
    transport.transfers.last?.respond()
    #expect(outcome.summaries == ["200"])
  }

  @Test("that failed before a login do not affect the credential that the login sets")
  func login() {
    defer { tokens.forget() }
    let interceptor = interceptor()
    let provider = provider(interceptor)
    for _ in 0..<2 { provider.request(.zen, completion: outcome.completion) }
    transport.transfers[0].respond(401)
    tokens.finish(0, .failure(Refused()))
    // Equal to the old one, so that the refused request counts as sent with it.
    interceptor.credential = Token(value: "0")
    transport.transfers[1].respond(401)
    #expect(tokens.refreshCount == 2)
    tokens.finish(1, .success(Token(value: "1")))
    #expect(sent == ["0", "0", "1"])
    transport.transfers.last?.respond()
    #expect(outcome.summaries.last == "200")
  }

  @Test("that failed before an attempt began do not end it, even if it is a retry")
  func laterAttempt() {
    defer { tokens.forget() }
    let provider = provider(interceptor(), RetryPolicy(exponentialBackoffScale: 0))
    for _ in 0..<2 { provider.request(.zen, completion: outcome.completion) }
    transport.transfers[1].respond(401)
    tokens.finish(0, .failure(Refused()))
    transport.transfers[0].respond(503)
    time.advance(by: .zero)
    #expect(transport.transfers.count == 3)
    transport.transfers.last?.respond(401)
    #expect(tokens.refreshCount == 2)
    tokens.finish(1, .success(Token(value: "1")))
    transport.transfers.last?.respond()
    #expect(outcome.summaries.last == "200")
  }

  @Test("follow the refusal of a stub that has a status and no head")
  func stub() {
    defer { tokens.forget() }
    let stubs = StubTable<GitHub>()
    stubs.add(path: "/zen", [.networkResponse(401, Data()), .networkResponse(204, Data())])
    NetworkProvider<GitHub>(interceptors: [interceptor()], stubs: stubs).request(
      .zen, completion: outcome.completion)
    #expect(tokens.refreshCount == 1)
    tokens.finish(0, .success(Token(value: "1")))
    #expect(outcome.summaries == ["204"])
  }
}
