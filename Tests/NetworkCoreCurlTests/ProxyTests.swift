import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Proxies", .timeLimit(.minutes(5)))
struct ProxyTests {
  private typealias Proxy = CurlConfiguration.Proxy

  private func transport(_ proxy: Proxy, _ change: (inout CurlConfiguration) -> Void = { _ in }) throws
    -> CurlTransport
  {
    var configuration = CurlConfiguration()
    configuration.proxy = .proxy(proxy)
    change(&configuration)
    return try CurlTransport(configuration: configuration)
  }

  @Test("a plain request is forwarded through an HTTP proxy unchanged, with its credential")
  func plain() async throws {
    // The server stands in for the proxy, and so receives the whole URL as the target.
    let server = try LoopbackServer { _ in .text("through") }
    let proxy = Proxy(.http, host: "127.0.0.1", port: Int(server.port), user: "me", password: "p:w")
    let events = await (try transport(proxy)).exchange(.init(url: "http://server.test/a?b"))
    #expect(events.error == nil)
    #expect(events.body == Data("through".utf8))
    let seen = try #require(server.log.requests.first)
    #expect(seen.target == "http://server.test/a?b")
    #expect(seen.headers["Proxy-Authorization"] == "Basic " + Data("me:p:w".utf8).base64EncodedString())
  }

  @Test("a user without a password is sent to a proxy")
  func userWithoutPassword() async throws {
    let server = try LoopbackServer { .text($0.headers["Proxy-Authorization"] ?? "none") }
    let proxy = Proxy(.http, host: "127.0.0.1", port: Int(server.port), user: "me")
    let events = await (try transport(proxy)).exchange(.init(url: "http://server.test/"))
    #expect(events.body == Data("Basic bWU6".utf8))
  }

  @Test(
    "a tunnel is opened without a challenge first, and a response's head through it does not wait for a body"
  )
  func tunnelOfDigest() async throws {
    let server = try RawServer { stream, _ in
      _ = stream.read(until: "\r\n\r\n")
      stream.write(Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n".utf8))
      stream.write(Array(stream.read(until: "body").utf8))
    }
    let forwarder = try ForwardingProxy(.connect(), to: server.port)
    var proxy = Proxy(.http, host: "127.0.0.1", port: Int(forwarder.port), user: "me", password: "pw")
    proxy.authentication = .digest
    proxy.tunnelsPlainRequests = true
    let delayedBody = DelayedBody()
    let body = BodyStream(length: 4) { more in delayedBody.reader(more) }
    let transport = try transport(proxy)
    let (_, recorder) = transport.record(
      .init(method: .post, url: "http://server.test:8080/a", body: .stream(body)))
    _ = await recorder.waitUntil { $0.heads == 1 || $0.isOver }
    delayedBody.release()
    let events = await recorder.waitForEnd()
    #expect(events.error == nil)
    #expect(events.body == Data("body".utf8))
  }

  @Test("on request, plain requests use a tunnel, and its head is not delivered")
  func tunnel() async throws {
    let server = try LoopbackServer { _ in .text("through") }
    let forwarder = try ForwardingProxy(.connect(authorization: "Basic bWU6cHc="), to: server.port)
    var proxy = Proxy(.http, host: "127.0.0.1", port: Int(forwarder.port), user: "me", password: "pw")
    proxy.tunnelsPlainRequests = true
    let events = await (try transport(proxy)).exchange(.init(url: "http://server.test:8080/a"))
    #expect(events.error == nil)
    #expect(events.heads == 1)
    #expect(events.body == Data("through".utf8))
    #expect(forwarder.log.all == ["server.test:8080"])
    #expect(server.log.requests.first?.headers["Proxy-Authorization"] == nil)
    proxy.password = "wrong"
    let refused = await (try transport(proxy)).exchange(.init(url: "http://server.test:8080/a"))
    guard case .cannotConnect? = refused.error else {
      Issue.record("\(String(describing: refused.error))")
      return
    }
    #expect(server.log.requestCount == 1)
  }

  @Test(
    "a proxy that closes, resets or sends nonsense instead of a tunnel is cannotConnect",
    arguments: ["", "HTTP/1.1 200 OK\r\nX:", "nonsense\r\n\r\n", "HTTP/1.1 502 No\r\n\r\n"])
  func broken(response: String) async throws {
    let server = try RawServer { stream, _ in
      _ = stream.read(until: "\r\n\r\n")
      stream.write(Array(response.utf8))
    }
    let proxy = Proxy(.http, host: "127.0.0.1", port: Int(server.port))
    let events = await (try transport(proxy)).exchange(.init(method: .post, url: "https://server.test/"))
    guard case .cannotConnect(url: "https://server.test/", _, _)? = events.error else {
      Issue.record("\(String(describing: events.error))")
      return
    }
    #expect(events.heads == 0)
  }

  @Test("a SOCKS 5 proxy is offered no methods but a password and none", arguments: [nil, "me"] as [String?])
  func offeredMethods(user: String?) async throws {
    let log = Log()
    let server = try RawServer { stream, _ in
      guard let greeting = stream.read(2), let methods = stream.read(Int(greeting[1])) else { return }
      log("\(methods)")
    }
    let proxy = Proxy(.socks5, host: "127.0.0.1", port: Int(server.port), user: user)
    #expect(await (try transport(proxy)).exchange(.init(url: "http://server.test/")).error != nil)
    #expect(log.all == [user == nil ? "[0]" : "[0, 2]"])
  }

  @Test("a SOCKS 5 proxy receives the name or the locally resolved address, with user and password")
  func socks() async throws {
    let server = try LoopbackServer { _ in .text("through") }
    let forwarder = try ForwardingProxy(.socks5(user: "me", password: "pw"), to: server.port)
    let proxy = { (kind: Proxy.Kind, password: String) in
      Proxy(kind, host: "127.0.0.1", port: Int(forwarder.port), user: "me", password: password)
    }
    let remote = await (try transport(proxy(.socks5, "pw"))).exchange(.init(url: "http://server.test/"))
    #expect(remote.body == Data("through".utf8), "\(String(describing: remote.error))")
    let local = try transport(proxy(.socks5WithLocalNames, "pw")) {
      $0.names.overrides = [.init(host: "server.test", port: 80, addresses: ["192.0.2.7"])]
    }
    #expect(await local.exchange(.init(url: "http://server.test/")).error == nil)
    #expect(forwarder.log.all == ["server.test:80", "192.0.2.7:80"])
    let refused = await (try transport(proxy(.socks5, "no"))).exchange(.init(url: "http://server.test/"))
    guard case .cannotConnect? = refused.error else {
      Issue.record("\(String(describing: refused.error))")
      return
    }
  }

  @Test(
    "a request's own Proxy-Authorization replaces no credential that a proxy gets before the request",
    arguments: ["tunnel", "SOCKS"])
  func ownCredential(kind: String) async throws {
    let server = try LoopbackServer { _ in .text("through") }
    let isTunnel = kind == "tunnel"
    let forwarder = try ForwardingProxy(
      isTunnel ? .connect(authorization: "Basic bWU6cHc=") : .socks5(user: "me", password: "pw"),
      to: server.port)
    var proxy = Proxy(
      isTunnel ? .http : .socks5, host: "127.0.0.1", port: Int(forwarder.port), user: "me", password: "pw")
    proxy.tunnelsPlainRequests = isTunnel
    let events = await (try transport(proxy)).exchange(
      .init(url: "http://server.test/", headers: ["Proxy-Authorization": "own"]))
    #expect(events.body == Data("through".utf8), "\(String(describing: events.error))")
    #expect(forwarder.log.all == ["server.test:80"])
  }

  @Test(
    "requests to this machine and to excepted hosts bypass the proxy, unless it serves loopback",
    arguments: ["test", "*.test", ".test", "SERVER.test"])
  func bypass(name: String) async throws {
    let server = try LoopbackServer { _ in .text("direct") }
    let forwarder = try ForwardingProxy(.connect(), to: server.port)
    var proxy = Proxy(.http, host: "127.0.0.1", port: Int(forwarder.port))
    proxy.tunnelsPlainRequests = true
    proxy.bypass = ["other.example", name]
    let names: (inout CurlConfiguration) -> Void = {
      $0.names.overrides = [.init(host: "server.test", port: Int(server.port), addresses: ["127.0.0.1"])]
    }
    let transport = try transport(proxy, names)
    #expect(await transport.exchange(.init(url: server.origin)).error == nil)
    #expect(await transport.exchange(.init(url: "http://server.test:\(server.port)/")).error == nil)
    #expect(forwarder.log.all == [])
    proxy.servesLoopback = true
    #expect(await (try self.transport(proxy)).exchange(.init(url: server.origin)).error == nil)
    #expect(forwarder.log.all == ["127.0.0.1:\(server.port)"])
  }

  @Test(
    "an excepted host bypasses the proxy, however it is spelled",
    arguments: [
      ("bücher.test", "bücher.test"), ("*.Bücher.test", "a.xn--bcher-kva.test"), ("[::1]", "[::1]"),
      ("0:0::1", "[::1]"), ("127.1", "127.0.0.1"),
    ])
  func bypassSpelling(exception: String, host: String) async throws {
    let server = try LoopbackServer { _ in .text("through") }
    var proxy = Proxy(.http, host: "127.0.0.1", port: Int(server.port))
    proxy.bypass = [exception]
    proxy.servesLoopback = true
    let transport = try transport(proxy) {
      $0.names.overrides = ["xn--bcher-kva.test", "a.xn--bcher-kva.test"].map {
        .init(host: $0, port: 1, addresses: ["127.0.0.1"])
      }
    }
    // Nothing listens on this port.
    let events = await transport.exchange(.init(url: "http://\(host):1/"))
    #expect(events.error != nil)
    #expect(server.log.connectionsAccepted == 0)
  }

  @Test(
    "an excepted host that would have no effect is an error",
    arguments: [
      "server.test:80", "http://server.test", "[::1]:80", "a,b", "", "a/8", "10.0.0.0/x", "10.0.0.0/8/8",
      "10.0.0.0/0", "10.0.0.0/33", "::/1",
    ])
  func bypassWithoutEffect(exception: String) {
    var proxy = Proxy(.http, host: "127.0.0.1", port: 1)
    proxy.bypass = ["server.test", exception]
    #expect(
      throws: CurlConfigurationError.invalid(
        name: "proxy.bypass", value: exception,
        reason: "it is not a host: a name or an address without a port")
    ) {
      try transport(proxy)
    }
  }

  @Test(
    "a block of addresses is excepted",
    arguments: [("127.0.0.0/8", "127.0.0.1"), ("198.0.0.0/8, 192.0.2.0/32", "192.0.2.1")])
  func bypassBlock(blocks: String, host: String) async throws {
    let server = try LoopbackServer { _ in .text("through") }
    var proxy = Proxy(.http, host: "127.0.0.1", port: Int(server.port))
    proxy.bypass = blocks.components(separatedBy: ", ")
    proxy.servesLoopback = true
    // Nothing listens on this port.
    let events = await (try transport(proxy)).exchange(.init(url: "http://\(host):1/"))
    let isExcepted = host != "192.0.2.1"
    #expect((events.error == nil) != isExcepted)
    #expect(server.log.connectionsAccepted == (isExcepted ? 0 : 1))
  }

  @Test(
    "a host whose name only resembles this machine's uses the proxy",
    arguments: [
      "localhost.test", "127.test", "127.0.0.1.test", "localhost@server.test", "127.0.0.1:80@server.test",
      "127.0.0.1.", "127.1.2.3.4", "127.0.0.08", "128.0.0.1", "nolocalhost", "[::2]",
    ])
  func resemblance(authority: String) async throws {
    let server = try LoopbackServer { _ in .text("through") }
    let transport = try transport(Proxy(.http, host: "127.0.0.1", port: Int(server.port)))
    let events = await transport.exchange(.init(url: "http://\(authority)/a"))
    #expect(events.error == nil)
    // Newer versions of libcurl remove the dot behind an address.
    let end = "\(authority.split(separator: "@").last ?? "")/a".replacing("./a", with: "/a")
    #expect(server.log.requests.first?.target.replacing("./a", with: "/a").hasSuffix(end) == true)
  }

  @Test(
    "requests to this machine bypass the proxy, whatever its name",
    arguments: ["localhost", "LOCALHOST", "localhost.", "127.0.0.2", "127.1", "me@127.0.0.1", "[::1]"])
  func loopback(authority: String) async throws {
    let proxy = try LoopbackServer { _ in .text("through") }
    let transport = try transport(Proxy(.http, host: "127.0.0.1", port: Int(proxy.port)))
    // Nothing listens on this port.
    let events = await transport.exchange(.init(url: "http://\(authority):1/"))
    #expect(events.error != nil)
    #expect(proxy.log.connectionsAccepted == 0)
  }

  @Test("the request for a tunnel has this client's user agent")
  func agent() async throws {
    let log = Log()
    let server = try RawServer { stream, _ in
      log(stream.read(until: "\r\n\r\n"))
      stream.write(Array("HTTP/1.1 502 No\r\n\r\n".utf8))
    }
    let proxy = Proxy(.http, host: "127.0.0.1", port: Int(server.port))
    #expect(await (try transport(proxy)).exchange(.init(url: "https://server.test/")).error != nil)
    #expect(log.all.first?.hasPrefix("CONNECT server.test:443 ") == true)
    #expect(log.all.first?.contains("User-Agent: \(HTTPHeader.defaultUserAgent.value)\r\n") == true)
  }

  @Test("a missing or unknown proxy is cannotConnect", arguments: ["127.0.0.1", "no-such-proxy.invalid"])
  func missing(host: String) async throws {
    // The port of a stopped server may soon be reused; nothing listens on this one.
    let events = await (try transport(Proxy(.http, host: host, port: 1)))
      .exchange(.init(url: "http://server.test/"))
    guard case .cannotConnect? = events.error else {
      Issue.record("\(String(describing: events.error))")
      return
    }
  }

  @Test("a secure request uses a tunnel, and the certificate is checked against the server")
  func secure() async throws {
    var options = LoopbackServer.Options()
    options.http2 = .init()
    let server = try LoopbackServer(tls: .generated(names: ["server.test"]), options: options) { _ in
      .text("ok")
    }
    let forwarder = try ForwardingProxy(.connect(), to: server.port)
    let transport = try transport(Proxy(.http, host: "127.0.0.1", port: Int(forwarder.port))) {
      $0.tls.authorities = .data(server.authority)
    }
    let events = await transport.exchange(.init(url: "https://server.test/"))
    #expect(events.error == nil)
    #expect(events.head?.httpVersion == .http2)
    #expect(forwarder.log.all == ["server.test:443"])
  }
}

/// A body that becomes available when the test releases it.
private final class DelayedBody: Sendable {
  private final class Reader: BodyReader {
    private let delayedBody: DelayedBody

    init(delayedBody: DelayedBody) {
      self.delayedBody = delayedBody
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
      delayedBody.state.withLock { state in
        guard state.isAvailable else { return nil }
        let count = state.left.copyBytes(to: buffer)
        state.left.removeFirst(count)
        return count
      }
    }
  }

  private let state = Lock((isAvailable: false, left: Data("body".utf8), more: (@Sendable () -> Void)?.none))

  func reader(_ more: @escaping @Sendable () -> Void) -> any BodyReader {
    state.withLock { $0.more = more }
    return Reader(delayedBody: self)
  }

  func release() {
    let more = state.withLock { state in
      state.isAvailable = true
      return state.more
    }
    more?()
  }
}
