import Foundation
import LoopbackServer
import NetworkCore
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("AccessTokenPlugin and CredentialsPlugin")
struct AuthorizationPluginTests {
  private struct Secured: TargetType, AccessTokenAuthorizable {
    var authorizationType: AuthorizationType?
    var headers: [String: String]?
    var baseURL: URL { URL(staticString: "http://h") }
    var path: String { "" }
  }

  private let transport = ScriptedTransport { $0.answer() }

  private func sent(_ target: some TargetType, _ plugin: any PluginType) -> String? {
    NetworkProvider<MultiTarget>(transport: transport, plugins: [plugin]).request(MultiTarget(target)) { _ in
    }
    return transport.transfers.last?.request.headers["Authorization"]
  }

  @Test(
    "the scheme stands before the token",
    arguments: zip(
      [AuthorizationType.basic, .bearer, .custom("Token")], ["Basic abc", "Bearer abc", "Token abc"]))
  func schemes(type: AuthorizationType, value: String) {
    #expect(sent(Secured(authorizationType: type), AccessTokenPlugin { _ in "abc" }) == value)
  }

  @Test("a target that asks for no token gets none, and the closure is not called")
  func none() {
    let log = Log()
    let plugin = AccessTokenPlugin { _ in
      log("token")
      return "abc"
    }
    #expect(sent(Secured(authorizationType: nil), plugin) == nil)
    #expect(sent(GitHub.zen, plugin) == nil)
    #expect(log.all.isEmpty)
  }

  @Test("a token takes the place of what was there")
  func replaces() {
    let target = Secured(authorizationType: .bearer, headers: ["authorization": "Old"])
    #expect(sent(target, AccessTokenPlugin { _ in "new" }) == "Bearer new")
  }

  @Test("the closure gets the target inside of a MultiTarget")
  func unwraps() {
    let log = Log()
    let plugin = AccessTokenPlugin { target in
      log("\(type(of: target))")
      return ""
    }
    _ = plugin.prepare(
      URLRequest(url: URL(staticString: "http://h")), target: MultiTarget(Secured(authorizationType: .bearer))
    )
    #expect(log.all == ["Secured"])
  }

  @Test("a credential is sent as Basic, unless there is an Authorization")
  func credentials() {
    let plugin = CredentialsPlugin { _ in
      URLCredential(user: "Aladdin", password: "open sesame", persistence: .none)
    }
    #expect(sent(GitHub.zen, plugin) == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    #expect(
      sent(Secured(authorizationType: nil, headers: ["authorization": "Mine"]), plugin) == "Mine")
    #expect(sent(GitHub.zen, CredentialsPlugin { _ in nil }) == nil)
  }

  @Test("a server accepts the credential at once", arguments: TransportKind.allCases)
  func wire(kind: TransportKind) async throws {
    let server = try LoopbackServer { request in
      .status(request.headers["Authorization"] == "Basic dTpw" ? 200 : 401)
    }
    let provider = NetworkProvider<WireTarget>(
      transport: try kind.make(),
      plugins: [CredentialsPlugin { _ in URLCredential(user: "u", password: "p", persistence: .none) }])
    #expect(await provider.result(WireTarget(server)).summary == "200")
    #expect(server.log.requestCount == 1)
  }
}
