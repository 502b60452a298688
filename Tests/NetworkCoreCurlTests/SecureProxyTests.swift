import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Proxies with challenges, and proxies over TLS", .timeLimit(.minutes(5)))
struct SecureProxyTests {
  private typealias Proxy = CurlConfiguration.Proxy

  private func transport(_ proxy: Proxy, _ change: (inout CurlConfiguration) -> Void = { _ in }) throws
    -> CurlTransport
  {
    var configuration = CurlConfiguration()
    configuration.proxy = .proxy(proxy)
    change(&configuration)
    return try CurlTransport(configuration: configuration)
  }

  @Test(
    "Digest takes two requests and delivers one response; with a wrong password, it delivers the 407",
    arguments: ["none", "large"])
  func digest(kind: String) async throws {
    let server = try LoopbackServer { request in
      guard let proof = request.headers["Proxy-Authorization"], proof.hasPrefix("Digest"),
        proof.contains(#""me""#)
      else {
        return .text("who?", status: 407)
          .header("Proxy-Authenticate", #"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#)
      }
      return .bytes(request.body)
    }
    var proxy = Proxy(.http, host: "127.0.0.1", port: Int(server.port), user: "me", password: "pw")
    proxy.authentication = .digest
    let body = kind == "none" ? Data() : Data.megabyte
    let request = TransportRequest(
      method: kind == "none" ? .get : .put, url: "http://server.test/",
      body: kind == "none" ? .none : .data(body))
    let transport = try transport(proxy)
    for _ in 0..<2 {
      let events = await transport.exchange(request)
      #expect(events.error == nil)
      #expect(events.heads == 1)
      #expect(events.status == 200)
      // Compared outside #expect, because a mismatch would print a megabyte.
      let isWhole = events.body == body
      #expect(isWhole)
    }
    proxy.user = "you"
    let refused = await (try self.transport(proxy)).exchange(request)
    #expect(refused.error == nil)
    #expect(refused.heads == 1)
    #expect(refused.status == 407)
    #expect(refused.body == Data("who?".utf8))
  }

  @Test(
    "a request's own Proxy-Authorization replaces the credential for the proxy that forwards it",
    arguments: [CurlConfiguration.Proxy.Authentication.basic, .digest])
  func ownCredential(authentication: CurlConfiguration.Proxy.Authentication) async throws {
    let server = try LoopbackServer { _ in
      .text("who?", status: 407)
        .header("Proxy-Authenticate", #"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#)
    }
    var proxy = Proxy(.http, host: "127.0.0.1", port: Int(server.port), user: "me", password: "pw")
    proxy.authentication = authentication
    let transport = try transport(proxy)
    let events = await transport.exchange(
      .init(url: "http://server.test/", headers: ["Proxy-Authorization": "own"]))
    #expect(events.error == nil)
    #expect(events.status == 407)
    #expect(server.log.requests.map { $0.headers["Proxy-Authorization"] } == ["own"])
    // The next request has none of its own.
    #expect(await transport.exchange(.init(url: "http://server.test/")).status == 407)
    let proof = server.log.requests.last?.headers["Proxy-Authorization"]
    #expect(proof?.hasPrefix(authentication == .basic ? "Basic " : "Digest ") == true)
  }

  @Test("if the proxy does not request Digest, its response to the request without a body is an error")
  func unwanted() async throws {
    let server = try LoopbackServer { .bytes($0.body) }
    var proxy = Proxy(.http, host: "127.0.0.1", port: Int(server.port), user: "me", password: "pw")
    proxy.authentication = .digest
    let transport = try transport(proxy)
    #expect(await transport.exchange(.init(url: "http://server.test/")).error == nil)
    let events = await transport.exchange(
      .init(method: .put, url: "http://server.test/", body: .data(Data("x".utf8))))
    guard case .cannotConnect? = events.error else {
      Issue.record("\(String(describing: events.error))")
      return
    }
  }

  @Test("a 407 from a server that is not a proxy is a normal response")
  func noProxy() async throws {
    let server = try LoopbackServer { _ in .text("odd", status: 407).header("Proxy-Authenticate", "Basic") }
    let events = await (try CurlTransport()).exchange(.init(url: server.origin))
    #expect(events.error == nil)
    #expect(events.status == 407)
    #expect(events.body == Data("odd".utf8))
  }

  @Test("a proxy over TLS is verified as servers are, and receives the request")
  func tls() async throws {
    let server = try LoopbackServer(tls: .generated) { .text("\($0.method) \($0.target)") }
    let folder = try TemporaryFolder()
    let authorities = folder.file("authorities.pem")
    try server.authority.write(to: authorities)
    let proxy = Proxy(.https, host: "127.0.0.1", port: Int(server.port))
    let trusted = try transport(proxy) { $0.tls.authorities = .data(server.authority) }
    // Twice over one connection, because TLS's own messages in between must not count as unexpected data.
    for _ in 0..<2 {
      let events = await trusted.exchange(.init(url: "http://server.test/a"))
      #expect(events.error == nil)
      #expect(events.body == Data("GET http://server.test/a".utf8))
    }
    let file = try transport(proxy) { $0.tls.authorities = .file(authorities.path) }
    #expect(await file.exchange(.init(url: "http://server.test/a")).error == nil)
    let untrusted = await (try transport(proxy)).exchange(.init(url: "http://server.test/a"))
    guard case .certificate(.unknownIssuer, "127.0.0.1", _)? = untrusted.error else {
      Issue.record("\(String(describing: untrusted.error))")
      return
    }
  }

  @Test("an error names the server whose certificate is rejected, also after the proxy's was rejected")
  func serverAfterProxy() async throws {
    let proxy = try LoopbackServer(tls: .generated) { _ in .text("through") }
    let server = try LoopbackServer(tls: .generated) { _ in .text("direct") }
    let transport = try transport(Proxy(.https, host: "127.0.0.1", port: Int(proxy.port)))
    // Requests to this machine itself bypass the proxy.
    for (url, host) in [
      ("https://server.test/", "127.0.0.1"), ("https://localhost:\(server.port)/", "localhost"),
    ] {
      let events = await transport.exchange(.init(url: url))
      guard case .certificate(.unknownIssuer, host, _)? = events.error else {
        Issue.record("\(url): \(String(describing: events.error))")
        continue
      }
    }
  }

  @Test("the environment defines a proxy, except for the hosts in no_proxy")
  func environment() async {
    await #expect(processExitsWith: .success) {
      let server = try LoopbackServer { .text($0.target) }
      setenv("http_proxy", server.origin, 1)
      setenv("no_proxy", "direct.test", 1)
      let transport = try CurlTransport()
      #expect(
        await transport.exchange(.init(url: "http://server.test/a")).body == Data("http://server.test/a".utf8)
      )
      #expect(
        await transport.exchange(.init(url: "http://direct.test/a")).error
          == .cannotFindHost("direct.test", isUnsent: true))
      // This machine itself, and a transport with proxies disabled.
      #expect(await transport.exchange(.init(url: "\(server.origin)/b")).body == Data("/b".utf8))
      var configuration = CurlConfiguration()
      configuration.proxy = .none
      let direct = await (try CurlTransport(configuration: configuration)).exchange(
        .init(url: "http://server.test/"))
      #expect(direct.error == .cannotFindHost("server.test", isUnsent: true))
    }
  }

  @Test("a scheme without a proxy of its own uses none, whatever the environment says")
  func schemeWithoutProxy() async {
    await #expect(processExitsWith: .success) {
      let server = try LoopbackServer { _ in .text("through") }
      setenv("http_proxy", server.origin, 1)
      var configuration = CurlConfiguration()
      configuration.proxy = .byScheme(
        http: nil, https: .init(.http, host: "127.0.0.1", port: Int(server.port)))
      let events = await (try CurlTransport(configuration: configuration)).exchange(
        .init(url: "http://server.test/"))
      #expect(events.error == .cannotFindHost("server.test", isUnsent: true))
      #expect(server.log.connectionsAccepted == 0)
    }
  }
}
