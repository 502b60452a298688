import Foundation
import LoopbackServer
import NetworkCore
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("AuthenticationInterceptor: refusals after redirects", .timeLimit(.minutes(5)))
struct RedirectedRefusalTests {
  private struct Token: AuthenticationCredential {
    var value: String
    var requiresRefresh = false
  }

  private final class TestAuthenticator: Authenticator {
    func apply(_ credential: Token, to urlRequest: inout URLRequest) {
      urlRequest.setValue(credential.value, forHTTPHeaderField: "Authorization")
    }

    func refresh(
      _ credential: Token, for session: Session,
      completion: @escaping @Sendable (Result<Token, any Error>) -> Void
    ) { completion(.success(Token(value: "new"))) }

    func didRequest(
      _ urlRequest: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error
    ) -> Bool { response.statusCode == 401 }

    func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: Token) -> Bool {
      urlRequest.value(forHTTPHeaderField: "Authorization") == credential.value
    }
  }

  struct Redirect: CustomTestStringConvertible {
    let method: HTTPMethod
    let status: Int
    let isRepeated: Bool

    var testDescription: String { "\(method.rawValue) and \(status)" }
  }

  @Test(
    "a request is retried unless the redirect shows that a POST has taken effect",
    arguments: TransportKind.allCases,
    [
      Redirect(method: .post, status: 303, isRepeated: false),
      Redirect(method: .post, status: 307, isRepeated: true),
      Redirect(method: .put, status: 303, isRepeated: true),
      Redirect(method: .get, status: 302, isRepeated: true),
    ])
  func refusal(kind: TransportKind, redirect: Redirect) async throws {
    let server = try LoopbackServer { $0.headers["Authorization"] == "new" ? .text("done") : .status(401) }
    server.route("/orders") { _ in .redirect(to: "/orders/1", status: redirect.status) }
    let interceptor = AuthenticationInterceptor(
      authenticator: TestAuthenticator(), credential: Token(value: "old"))
    let provider = NetworkProvider<LoopbackTarget>(transport: try kind.make(), interceptors: [interceptor])
    let target = LoopbackTarget(server, "/orders").with { $0.method = redirect.method }
    let response = try await provider.result(target).get()
    #expect(response.statusCode == (redirect.isRepeated ? 200 : 401))
    #expect(server.log.requests.count { $0.path == "/orders" } == (redirect.isRepeated ? 2 : 1))
  }
}
