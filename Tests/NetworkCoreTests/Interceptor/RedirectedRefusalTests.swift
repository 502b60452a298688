import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("AuthenticationInterceptor: refusals after redirects", .timeLimit(.minutes(5)))
struct RedirectedRefusalTests {
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
    let server = try LoopbackServer {
      $0.headers["Authorization"] == "Bearer new" ? .text("done") : .status(401)
    }
    server.route("/orders") { _ in .redirect(to: "/orders/1", status: redirect.status) }
    let interceptor = AuthenticationInterceptor(
      authenticator: ImmediateAuthenticator(), credential: .init(value: "old"))
    let provider = NetworkProvider<LoopbackTarget>(transport: try kind.make(), interceptors: [interceptor])
    let target = LoopbackTarget(server, "/orders").with { $0.method = redirect.method }
    let response = try await provider.result(target).get()
    #expect(response.statusCode == (redirect.isRepeated ? 200 : 401))
    #expect(server.log.requests.count { $0.path == "/orders" } == (redirect.isRepeated ? 2 : 1))
  }
}
