import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("AccessTokenPlugin and CredentialsPlugin", .timeLimit(.minutes(5)))
struct AuthorizationPluginTests {
  private struct SecuredTarget: TargetType, AccessTokenAuthorizable {
    var authorizationType: AuthorizationType?
    var headers: [String: String]?
    var url = "http://h"
    var baseURL: URL { URL(string: url) ?? URL(staticString: "http://h") }
    var path: String { "" }
  }

  private let transport = ScriptedTransport { $0.respond() }

  private func authorization(_ target: some TargetType, _ plugin: any PluginType) -> String? {
    NetworkProvider<MultiTarget>(transport: transport, plugins: [plugin]).request(MultiTarget(target)) { _ in
    }
    return transport.transfers.last?.request.headers["Authorization"]
  }

  @Test(
    "the scheme precedes the token",
    arguments: zip(
      [AuthorizationType.basic, .bearer, .custom("Token")], ["Basic abc", "Bearer abc", "Token abc"]))
  func schemes(type: AuthorizationType, value: String) {
    #expect(authorization(SecuredTarget(authorizationType: type), AccessTokenPlugin { _ in "abc" }) == value)
  }

  @Test(
    "spaces and line breaks around a token are not sent", arguments: ["abc\n", "abc\r\n", " abc\t", "\nabc"])
  func trimmed(token: String) {
    let target = SecuredTarget(authorizationType: .bearer)
    #expect(authorization(target, AccessTokenPlugin { _ in token }) == "Bearer abc")
  }

  @Test(
    "a token with a line break inside ends the request with an error that names the field",
    arguments: TransportKind.allCases, ["a\nb", "a\r\nX: y", "a\0b"])
  func broken(kind: TransportKind, token: String) async throws {
    let server = try LoopbackServer { _ in .text("came") }
    let provider = NetworkProvider<MultiTarget>(
      transport: try kind.make(), plugins: [AccessTokenPlugin { _ in token }])
    let target = SecuredTarget(authorizationType: .bearer, url: server.origin)
    do {
      _ = try await provider.response(for: MultiTarget(target))
      Issue.record("The request was sent.")
    } catch {
      #expect(error.transferError == .invalidField(name: "Authorization", value: "Bearer " + token))
    }
    #expect(server.log.requestCount == 0)
  }

  @Test("a target that requires no token gets none, and the closure is not called")
  func none() {
    let log = Log()
    let plugin = AccessTokenPlugin { _ in
      log("token")
      return "abc"
    }
    #expect(authorization(SecuredTarget(authorizationType: nil), plugin) == nil)
    #expect(authorization(GitHub.zen, plugin) == nil)
    #expect(log.all.isEmpty)
  }

  @Test("a token replaces the existing value")
  func replaces() {
    let target = SecuredTarget(authorizationType: .bearer, headers: ["authorization": "Old"])
    #expect(authorization(target, AccessTokenPlugin { _ in "new" }) == "Bearer new")
  }

  @Test("the closure receives the inner target of a MultiTarget")
  func unwraps() {
    let log = Log()
    let plugin = AccessTokenPlugin { target in
      log("\(type(of: target))")
      return ""
    }
    let target = MultiTarget(SecuredTarget(authorizationType: .bearer))
    for target in [target, .target(target)] {
      _ = plugin.prepare(URLRequest(url: URL(staticString: "http://h")), target: target)
    }
    #expect(log.all == ["SecuredTarget", "SecuredTarget"])
  }

  @Test("a credential is sent as Basic, unless the request has an Authorization field")
  func credentials() {
    let plugin = CredentialsPlugin { _ in
      URLCredential(user: "Aladdin", password: "open sesame", persistence: .none)
    }
    #expect(authorization(GitHub.zen, plugin) == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    #expect(
      authorization(SecuredTarget(authorizationType: nil, headers: ["authorization": "Mine"]), plugin)
        == "Mine")
    #expect(authorization(GitHub.zen, CredentialsPlugin { _ in nil }) == nil)
  }

  @Test("the credential that plugins set last is sent")
  func lastCredential() {
    let plugins = ["u1", "u2"].map { user in
      CredentialsPlugin { _ in URLCredential(user: user, password: "p", persistence: .none) }
    }
    NetworkProvider<GitHub>(transport: transport, plugins: plugins).request(.zen) { _ in }
    #expect(transport.transfers.last?.request.headers["Authorization"] == "Basic dTI6cA==")
  }

  @Test("a plugin can authenticate a request with a name and a password")
  func nameAndPassword() {
    struct NamePlugin: PluginType {
      func willSend(_ request: any RequestType, target: any TargetType) {
        request.authenticate(username: "Aladdin", password: "open sesame")
      }
    }
    #expect(authorization(GitHub.zen, NamePlugin()) == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
  }

  @Test("a server accepts the credential at once", arguments: TransportKind.allCases)
  func wire(kind: TransportKind) async throws {
    let server = try LoopbackServer { request in
      .status(request.headers["Authorization"] == "Basic dTpw" ? 200 : 401)
    }
    let provider = NetworkProvider<LoopbackTarget>(
      transport: try kind.make(),
      plugins: [CredentialsPlugin { _ in URLCredential(user: "u", password: "p", persistence: .none) }])
    #expect(await provider.result(LoopbackTarget(server)).summary == "200")
    #expect(server.log.requestCount == 1)
  }

  @Test("Digest responds to a challenge without sending the password, also for a request with a body")
  func digest() async throws {
    let server = try LoopbackServer { request in
      guard let field = request.headers["Authorization"] else {
        return .status(401)
          .header("WWW-Authenticate", #"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#)
      }
      return .text(field.hasPrefix(#"Digest username="u""#) ? request.text : field)
    }
    let plugin = CredentialsPlugin(scheme: .digest) { _ in
      URLCredential(user: "u", password: "secret", persistence: .none)
    }
    let provider = NetworkProvider<LoopbackTarget>(transport: try CurlTransport(), plugins: [plugin])
    let target = LoopbackTarget(server).with {
      $0.method = .post
      $0.task = .requestData(Data("body".utf8))
    }
    #expect(try await provider.result(target).get().mapString() == "body")
    #expect(server.log.requestCount == 2)
    #expect(server.log.requests.allSatisfy { !"\($0.headers)".contains("secret") })
    // The next request on the connection is not authenticated.
    #expect(try await provider.transport.answer(to: server.origin) == 401)
    #expect(
      try await provider.result(target.with { $0.headers = ["Authorization": "mine"] }).get().mapString()
        == "mine")
  }

  @Test("a stream and a download also get the Digest credential of a plugin")
  func digestOfStreams() {
    let silent = ScriptedTransport()
    defer { silent.finish() }
    let plugin = CredentialsPlugin(scheme: .digest) { _ in
      URLCredential(user: "u", password: "secret", persistence: .none)
    }
    let provider = NetworkProvider<LoopbackTarget>(transport: silent, plugins: [plugin])
    let target = LoopbackTarget(URL(staticString: "http://h"))
    let destination: DownloadDestination = { url, _ in (url, []) }
    provider.stream(target) { _ in }
    provider.request(target.with { $0.task = .downloadDestination(destination) }) { _ in }
    let credential = TransportRequest.Credential.digest(user: "u", password: "secret")
    #expect(silent.transfers.map(\.request.credential) == [credential, credential])
  }

  @Test(
    "a credential is sent neither to another origin after a redirect nor by a transport without Digest"
  )
  func elsewhere() async throws {
    let server = try LoopbackServer { request in
      request.headers["Host"]?.hasPrefix("localhost") == true
        ? .status(401).header("WWW-Authenticate", #"Digest realm="r", nonce="n", qop="auth""#)
        : .redirect(to: "http://localhost:\(request.headers["Host"]?.split(separator: ":").last ?? "")/")
    }
    let plugin = CredentialsPlugin(scheme: .digest) { _ in
      URLCredential(user: "u", password: "p", persistence: .none)
    }
    let provider = NetworkProvider<LoopbackTarget>(transport: try CurlTransport(), plugins: [plugin])
    #expect(await provider.result(LoopbackTarget(server)).summary == "401")
    #expect(server.log.requests.allSatisfy { $0.headers["Authorization"] == nil })
    let other = NetworkProvider<LoopbackTarget>(transport: URLSessionTransport(), plugins: [plugin])
    guard case .failure(let error) = await other.result(LoopbackTarget(server)),
      case .other(0, _)? = error.transferError
    else {
      Issue.record("URLSession sent the request.")
      return
    }
  }

  @Test("a custom RequestType needs to support only Basic")
  func ownRequest() {
    struct CustomRequest: RequestType {
      let log: Log
      var request: URLRequest? { nil }
      var sessionHeaders: [String: String] { [:] }
      func authenticate(with credential: URLCredential) -> CustomRequest {
        log(credential.user ?? "-")
        return self
      }
    }
    let log = Log()
    for scheme in [AuthenticationScheme.basic, .digest] {
      CredentialsPlugin(scheme: scheme) { _ in URLCredential(user: "u", password: "p", persistence: .none) }
        .willSend(CustomRequest(log: log), target: GitHub.zen)
    }
    #expect(log.all == ["u"])
  }

  @Test("a token that would inject a field is refused, and the error names the field")
  func forged() async throws {
    var request = TransportRequest(url: "http://127.0.0.1:1/")
    request.credential = .bearer(token: "a\r\nb")
    for kind in TransportKind.allCases {
      let events = await (try kind.make()).exchange(request)
      guard case .invalidField(let name, _)? = events.error else {
        Issue.record("\(kind): \(String(describing: events.error))")
        continue
      }
      #expect(["credential", "Authorization"].contains(name))
    }
  }
}

extension Transport {
  /// Returns the status of the response to a plain request.
  fileprivate func answer(to url: String) async throws -> Int? {
    await exchange(.init(url: url)).status
  }
}
