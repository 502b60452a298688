import Foundation
import ReactiveNetworkLock
import class MoyaCompatibility.Adapter
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("AuthenticationInterceptor with other plugins and interceptors", .timeLimit(.minutes(5)))
struct OverwrittenCredentialTests {
  private struct StalePlugin: PluginType {
    func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest {
      var request = request
      request.setValue("Bearer stale", forHTTPHeaderField: "Authorization")
      return request
    }
  }

  private struct LateStalePlugin: AsyncPluginType {
    func prepare(_ request: URLRequest, for target: any TargetType) async throws -> URLRequest {
      StalePlugin().prepare(request, target: target)
    }
  }

  private let outcome = CompletionRecorder()
  private let tokens = ImmediateAuthenticator()

  /// Refuses the first 19 requests, so that an endless loop stops.
  private let transport: ScriptedTransport = {
    let count = Lock(0)
    return ScriptedTransport { transfer in
      let number = count.withLock { count in
        count += 1
        return count
      }
      transfer.respond(number < 20 ? 401 : 200)
    }
  }()

  private func interceptor(_ token: ImmediateAuthenticator.Token = ImmediateAuthenticator.Token(value: "a"))
    -> AuthenticationInterceptor<ImmediateAuthenticator>
  {
    AuthenticationInterceptor(authenticator: tokens, credential: token)
  }

  private var overwritten: OverwrittenCredentialError? {
    guard case .underlying(let error, _)? = outcome.error else { return nil }
    return error as? OverwrittenCredentialError
  }

  @Test("a plugin that sets a stale Authorization causes the refusal and an error that names it")
  func plugin() {
    let provider = NetworkProvider<GitHub>(
      transport: transport, plugins: [StalePlugin()], interceptors: [interceptor()])
    provider.request(.zen, completion: outcome.completion)
    #expect(transport.transfers.count == 1)
    #expect(outcome.error?.response?.statusCode == 401)
    #expect(overwritten?.overwriter == "StalePlugin")
    #expect(overwritten?.interceptor == "AuthenticationInterceptor<ImmediateAuthenticator>")
    #expect(overwritten?.statusCode == 401)
    let text = outcome.error?.localizedDescription ?? ""
    #expect(
      text.hasPrefix(
        "StalePlugin replaced the Authorization that AuthenticationInterceptor<ImmediateAuthenticator> had set, and"
      ))
  }

  @Test("a request that was sent with an older credential is retried once, then fails")
  func olderVersion() {
    let held = ScriptedTransport()
    let interceptor = interceptor()
    let provider = NetworkProvider<GitHub>(
      transport: held, plugins: [StalePlugin()], interceptors: [interceptor])
    provider.request(.zen, completion: outcome.completion)
    for value in ["b", "c"] {
      interceptor.credential = ImmediateAuthenticator.Token(value: value)
      held.transfers.last?.respond(401)
    }
    #expect(held.transfers.count == 3)
    #expect(outcome.count == 0)
    held.transfers.last?.respond(401)
    #expect(held.transfers.count == 3)
    #expect(overwritten?.overwriter == "StalePlugin")
  }

  @Test("an error also names an asynchronous plugin or another interceptor")
  func others() async throws {
    let late = NetworkProvider<GitHub>(
      transport: transport, plugins: [LateStalePlugin()], interceptors: [interceptor()])
    let stale = Adapter { request, _, completion in
      completion(.success(StalePlugin().prepare(request, target: GitHub.zen)))
    }
    let adapted = NetworkProvider<GitHub>(transport: transport, interceptors: [interceptor(), stale])
    for (provider, name) in [(late, "LateStalePlugin"), (adapted, "Adapter")] {
      do {
        _ = try await provider.response(for: .zen)
        Issue.record("The request was accepted.")
      } catch {
        guard case .underlying(let error as OverwrittenCredentialError, _) = error else {
          Issue.record("\(error)")
          continue
        }
        #expect(error.overwriter == name)
      }
    }
    #expect(transport.transfers.count == 2)
  }

  @Test("an authenticator that never recognizes its credential fails, and names the one that removed it")
  func unrecognized() {
    let provider = NetworkProvider<GitHub>(
      transport: transport,
      interceptors: [interceptor(ImmediateAuthenticator.Token(value: "a\u{20}")), CredentialRemover()])
    provider.request(.zen, completion: outcome.completion)
    #expect(transport.transfers.count == 1)
    #expect(overwritten?.overwriter == "CredentialRemover")
  }

  /// Never recognizes its credential.
  private final class ForgetfulAuthenticator: Authenticator {
    private let tokens = ImmediateAuthenticator()

    func apply(_ credential: ImmediateAuthenticator.Token, to urlRequest: inout URLRequest) {
      tokens.apply(credential, to: &urlRequest)
    }

    func refresh(
      _ credential: ImmediateAuthenticator.Token, for session: Session,
      completion: @escaping @Sendable (Result<ImmediateAuthenticator.Token, any Error>) -> Void
    ) { tokens.refresh(credential, for: session, completion: completion) }

    func didRequest(
      _ urlRequest: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error
    ) -> Bool { response.statusCode == 401 }

    func isRequest(
      _ urlRequest: URLRequest, authenticatedWith credential: ImmediateAuthenticator.Token
    ) -> Bool { false }
  }

  @Test("an error does not name the interceptor as the overwriter of its own credential")
  func notOverwritten() {
    let interceptor = AuthenticationInterceptor(
      authenticator: ForgetfulAuthenticator(), credential: ImmediateAuthenticator.Token(value: "a"))
    NetworkProvider<GitHub>(transport: transport, interceptors: [interceptor])
      .request(.zen, completion: outcome.completion)
    #expect(transport.transfers.map { $0.request.headers["Authorization"] } == ["Bearer a"])
    #expect(overwritten?.statusCode == 401)
    #expect(overwritten?.overwriter == nil)
    let begin =
      "The sent request has no credential that AuthenticationInterceptor<ForgetfulAuthenticator> recognizes"
    #expect(outcome.error?.localizedDescription.hasPrefix(begin) == true)
  }

  /// Removes the credential that the interceptor has set.
  private struct CredentialRemover: RequestInterceptor {
    func adapt(
      _ urlRequest: URLRequest, for session: Session,
      completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
      var request = urlRequest
      request.setValue(nil, forHTTPHeaderField: "Authorization")
      completion(.success(request))
    }
  }
}
