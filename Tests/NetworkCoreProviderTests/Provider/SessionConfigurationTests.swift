import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A session's configuration", .timeLimit(.minutes(5)))
struct SessionConfigurationTests {
  private func provider(_ change: (URLSessionConfiguration) -> Void) -> NetworkProvider<LoopbackTarget> {
    let configuration = URLSessionConfiguration.ephemeral
    change(configuration)
    return NetworkProvider(session: Session(configuration: configuration))
  }

  private func target(_ url: String) throws -> LoopbackTarget {
    LoopbackTarget(try #require(URL(string: url)), "")
  }

  @Test("HTTP and HTTPS requests go through the proxies that it names for them")
  func proxies() async throws {
    let server = try LoopbackServer { .text("\($0.target) \($0.headers["Proxy-Authorization"] ?? "-")") }
    let forwarder = try ForwardingProxy(.connect(), to: server.port)
    let provider = provider {
      $0.connectionProxyDictionary = [
        "HTTPEnable": 1, "HTTPProxy": "127.0.0.1", "HTTPPort": Int(server.port), "HTTPSEnable": true,
        "HTTPSProxy": "127.0.0.1", "HTTPSPort": "\(forwarder.port)", "kCFProxyUsernameKey": "me",
        "kCFProxyPasswordKey": "pw", "ExceptionsList": ["localhost", "*.direct.test"],
      ]
    }
    let plain = await provider.result(try target("http://server.test/a"))
    #expect(try plain.get().mapString() == "http://server.test/a Basic bWU6cHc=")
    // The server does not support TLS; the tunnel has been created.
    _ = await provider.result(try target("https://secure.test/"))
    #expect(forwarder.log.all == ["secure.test:443"])
    // Requests to this machine's own address also use the proxy, unless the address is an exception.
    let own = await provider.result(LoopbackTarget(server, "/own"))
    #expect(try own.get().mapString().hasPrefix("http://127.0.0.1:"))
    let direct = await provider.result(try target("http://localhost:\(server.port)/b"))
    #expect(try direct.get().mapString() == "/b -")
    let unknown = await provider.result(try target("http://a.direct.test/b"))
    #expect(unknown.summary == "\(TransferError.cannotFindHost("a.direct.test", isUnsent: true))")
  }

  @Test(
    "a SOCKS proxy applies, a proxy that is switched off does not, and an empty dictionary means no proxy")
  func others() async throws {
    let server = try LoopbackServer { .text($0.target) }
    let forwarder = try ForwardingProxy(.socks5(), to: server.port)
    let socks = provider {
      $0.connectionProxyDictionary = [
        "SOCKSProxy": "127.0.0.1", "SOCKSPort": Int(forwarder.port), "HTTPEnable": 0,
        "HTTPProxy": "127.0.0.1",
        "HTTPPort": 1,
      ]
    }
    #expect(try await socks.result(try target("http://server.test/a")).get().mapString() == "/a")
    // The server does not support TLS.
    _ = await socks.result(try target("https://secure.test/"))
    #expect(forwarder.log.all == ["server.test:80", "secure.test:443"])
    let none = provider { $0.connectionProxyDictionary = [:] }
    #expect(try await none.result(LoopbackTarget(server, "/c")).get().mapString() == "/c")
    // A property list can have each of these values.
    for value in [false, "0", NSNumber(value: 0)] as [Any] {
      let off = provider {
        $0.connectionProxyDictionary = ["HTTPEnable": value, "HTTPProxy": "127.0.0.1", "HTTPPort": 1]
      }
      #expect(try await off.result(LoopbackTarget(server, "/d")).get().mapString() == "/d")
    }
  }

  @Test(
    "a setting that cannot be applied ends every request with the reason",
    arguments: [
      (["HTTPProxy": "h"], "HTTPPort"), (["HTTPProxy": "h", "HTTPPort": "70000"], "70000"),
      (["HTTPProxy": "h o", "HTTPPort": "1"], "h o"),
      (["ProxyAutoConfigEnable": "1"], "ProxyAutoConfigEnable"),
      (["ProxyAutoDiscoveryEnable": "1"], "ProxyAutoDiscoveryEnable"),
    ])
  func refusals(dictionary: [String: String], word: String) async throws {
    let result = await provider { $0.connectionProxyDictionary = dictionary }.result(
      try target("http://server.test"))
    guard case .failure(let error) = result, case .other(0, let reason)? = error.transferError else {
      Issue.record("\(result)")
      return
    }
    #expect(reason.contains(word))
  }

  @Test("a proxy may have an IPv6 address and a user")
  func ownProxy() async throws {
    let server = try LoopbackServer { .text($0.headers["Proxy-Authorization"] ?? "-") }
    let named = provider {
      $0.connectionProxyDictionary = [
        "HTTPProxy": "127.0.0.1", "HTTPPort": Int(server.port), "HTTPUser": "own", "HTTPPassword": "pw",
        "kCFProxyUsernameKey": "me", "kCFProxyPasswordKey": "no",
      ]
    }
    let seen = try await named.result(try target("http://server.test/")).get().mapString()
    #expect(seen == "Basic " + Data("own:pw".utf8).base64EncodedString())
    // No server listens at this address.
    let six = provider { $0.connectionProxyDictionary = ["HTTPProxy": "::1", "HTTPPort": 1] }
    guard case .failure(let error) = await six.result(try target("http://server.test/")),
      case .cannotConnect? = error.transferError
    else {
      Issue.record("the proxy was not used")
      return
    }
  }

  @Test("it limits the connections to a host")
  func connectionsPerHost() async throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { _ in .text("ok").held(until: gate) }
    let session = provider { $0.httpMaximumConnectionsPerHost = 1 }.session
    let started = (0..<3).map { _ in session.record(.init(url: server.origin)) }
    try await server.log(until: { $0.pending == 1 })
    gate.open()
    for item in started { #expect(await item.recorder.waitForEnd().error == nil) }
    #expect(server.log.connectionsAccepted == 1)
  }

  @Test("long times and many connections are no limits", arguments: [3e6, .infinity])
  func longTimes(seconds: TimeInterval) async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    let provider = provider {
      $0.timeoutIntervalForResource = seconds
      $0.httpMaximumConnectionsPerHost = .max
    }
    #expect(try await provider.result(LoopbackTarget(server)).get().statusCode == 200)
  }

  @Test("a request's own time limit and cache policy take precedence over those of the configuration")
  func ownSettings() async throws {
    let server = try LoopbackServer { request in
      request.path == "/never" ? .never : .text("ok").header("Cache-Control", "max-age=1000")
    }
    let session = provider {
      $0.timeoutIntervalForRequest = 30
      $0.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
      $0.requestCachePolicy = .reloadIgnoringLocalCacheData
    }.session
    let never = TransportRequest(url: "\(server.origin)/never", idleTimeout: .milliseconds(250))
    #expect(await session.exchange(never).error?.withoutProof == .timedOut(after: .milliseconds(250)))
    var request = TransportRequest(url: "\(server.origin)/")
    #expect(await session.exchange(request).error == nil)
    request.cachePolicy = .storedOnly
    #expect(await session.exchange(request).body == Data("ok".utf8))
    #expect(server.log.requests.count { $0.path == "/" } == 1)
  }

  @Test("responses are cached if it has a cache, and requests use its cache policy")
  func cache() async throws {
    let server = try LoopbackServer { _ in .text("ok").header("Cache-Control", "max-age=1000") }
    let caching = provider { $0.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil) }
    for _ in 0..<3 { #expect(try await caching.result(LoopbackTarget(server)).get().mapString() == "ok") }
    #expect(server.log.requestCount == 1)
    let cache = try #require(caching.session.cache)
    #expect(cache.memoryCapacity == 1 << 20)
    #expect(cache.currentMemoryUsage > 0)
    cache.removeAllCachedResponses()
    _ = await caching.result(LoopbackTarget(server))
    #expect(server.log.requestCount == 2)
    let reloading = provider { $0.requestCachePolicy = .reloadIgnoringLocalCacheData }
    for _ in 0..<2 { _ = await reloading.result(LoopbackTarget(server)) }
    #expect(server.log.requestCount == 4)
    let without = provider { $0.urlCache = nil }
    for _ in 0..<2 { _ = await without.result(LoopbackTarget(server)) }
    #expect(server.log.requestCount == 6)
    #expect(without.session.cache == nil)
  }

  /// Responds to requests for `mock.test`, as in tests written for Alamofire.
  private final class MockURLProtocol: URLProtocol {
    static let seen = Log()

    override class func canInit(with request: URLRequest) -> Bool { request.url?.host == "mock.test" }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func startLoading() {
      MockURLProtocol.seen(
        "\(request.httpMethod ?? "") \(request.url?.path ?? "") \(request.value(forHTTPHeaderField: "X") ?? "")"
      )
      guard let url = request.url,
        let head = HTTPURLResponse(url: url, statusCode: 203, httpVersion: nil, headerFields: ["Y": "z"])
      else { return }
      client?.urlProtocol(self, didReceive: head, cacheStoragePolicy: .notAllowed)
      client?.urlProtocol(self, didLoad: Data("mocked".utf8))
      client?.urlProtocolDidFinishLoading(self)
    }
    override func stopLoading() {}
  }

  @Test("requests that one of its URLProtocol classes accepts go to it, and the others to the server")
  func protocolClasses() async throws {
    let server = try LoopbackServer { _ in .text("real") }
    let provider = provider {
      $0.protocolClasses = [MockURLProtocol.self] + ($0.protocolClasses ?? [])
      $0.httpAdditionalHeaders = ["X": "y"]
    }
    let mocked = try await provider.result(try target("http://mock.test/a")).get()
    #expect(mocked.statusCode == 203)
    #expect(mocked.headers["Y"] == "z")
    #expect(try mocked.mapString() == "mocked")
    #expect(MockURLProtocol.seen.all.filter { $0.contains("/a") } == ["GET /a y"])
    #expect(try await provider.result(LoopbackTarget(server)).get().mapString() == "real")
  }

  /// Redirects all requests to `target`.
  private final class RedirectingURLProtocol: URLProtocol {
    static let target = Lock("")

    override class func canInit(with request: URLRequest) -> Bool { request.url?.host == "redirecting.test" }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func startLoading() {
      let target = Self.target.withLock { $0 }
      guard let url = request.url,
        let head = HTTPURLResponse(
          url: url, statusCode: 302, httpVersion: nil, headerFields: ["Location": target])
      else { return }
      client?.urlProtocol(self, didReceive: head, cacheStoragePolicy: .notAllowed)
      client?.urlProtocolDidFinishLoading(self)
    }
    override func stopLoading() {}
  }

  @Test(
    "a redirect leads from a URLProtocol class to the session's own transport, and from a server to a class")
  func redirectsOfProtocolClasses() async throws {
    let server = try LoopbackServer { request in
      request.path == "/mock"
        ? .redirect(to: "http://mock.test/b") : .text("real")
    }
    RedirectingURLProtocol.target.withLock { $0 = server.origin }
    let provider = provider { $0.protocolClasses = [RedirectingURLProtocol.self, MockURLProtocol.self] }
    _ = try await provider.result(LoopbackTarget(server)).get()
    let real = try await provider.result(try target("http://redirecting.test/")).get()
    // The session's own transport has kept its connection.
    #expect(server.log.connectionsAccepted == 1)
    #expect(real.url?.absoluteString == server.origin)
    let mocked = try await provider.result(try target("\(server.origin)/mock")).get()
    #expect(mocked.statusCode == 203)
  }

  /// Fails requests as tests written for Apple's platforms do, with an `NSError`.
  private final class FailingURLProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { request.url?.host == "failing.test" }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func startLoading() {
      let code = (request.url?.lastPathComponent).flatMap { Int($0) } ?? NSURLErrorTimedOut
      client?.urlProtocol(self, didFailWithError: NSError(domain: NSURLErrorDomain, code: code))
    }
    override func stopLoading() {}
  }

  @Test("an NSError of one of its URLProtocol classes counts as the URLError with its code")
  func failingProtocolClass() async throws {
    let provider = provider { $0.protocolClasses = [FailingURLProtocol.self] }
    let result = await provider.result(try target("http://failing.test/"))
    guard case .failure(let error) = result, case .timedOut? = error.transferError else {
      Issue.record("\(result)")
      return
    }
  }

  /// Returns the case of an error and the values that do not depend on its text.
  private func kind(_ error: TransferError?) -> String {
    switch error {
    case .cannotFindHost(let host, _)?: "cannotFindHost \(host)"
    case .cannotConnect(let url, _, _)?: "cannotConnect \(url)"
    case .connectionLost?: "connectionLost"
    case .secureConnectionFailed?: "secureConnectionFailed"
    case .certificate(let problem, let host, _)?: "\(problem) \(host)"
    case .badServerResponse?: "badServerResponse"
    default: "\(String(describing: error))"
    }
  }

  @Test(
    "each URLError of one of its URLProtocol classes becomes the matching error",
    arguments: [
      (.cannotFindHost, "cannotFindHost failing.test"), (.dnsLookupFailed, "cannotFindHost failing.test"),
      (.cannotConnectToHost, "cannotConnect"), (.notConnectedToInternet, "cannotConnect"),
      (.networkConnectionLost, "connectionLost"), (.secureConnectionFailed, "secureConnectionFailed"),
      (.serverCertificateHasBadDate, "\(CertificateProblem.expired) failing.test"),
      (.serverCertificateNotYetValid, "\(CertificateProblem.notYetValid) failing.test"),
      (.serverCertificateUntrusted, "\(CertificateProblem.other) failing.test"),
      (.serverCertificateHasUnknownRoot, "\(CertificateProblem.unknownIssuer) failing.test"),
      (.clientCertificateRejected, "\(CertificateProblem.identityRejected) failing.test"),
      (.clientCertificateRequired, "\(CertificateProblem.identityRejected) failing.test"),
      (.cannotParseResponse, "badServerResponse"),
    ] as [(URLError.Code, String)])
  func errorsOfProtocolClass(code: URLError.Code, expected: String) async {
    let url = "http://failing.test/\(code.rawValue)"
    let session = provider { $0.protocolClasses = [FailingURLProtocol.self] }.session
    let events = await session.exchange(TransportRequest(url: url))
    #expect(kind(events.error) == (expected == "cannotConnect" ? "\(expected) \(url)" : expected))
  }

  /// Logs the time limits of the requests that it is offered, and accepts none.
  private final class WatchingURLProtocol: URLProtocol {
    static let limits = Log()

    override class func canInit(with request: URLRequest) -> Bool {
      if let path = request.url?.path, path.hasPrefix("/watched") {
        limits("\(path) \(request.timeoutInterval)")
      }
      return false
    }
  }

  @Test(
    "a URLProtocol class sees the idle timeout, in whole seconds that Foundation can convert to milliseconds",
    arguments: [(.milliseconds(60_250), "61.0"), (.seconds(1_000_000_000_000), "2000000.0")]
      as [(Duration, String)])
  func roundedTimeout(timeout: Duration, expected: String) async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    let session = provider { $0.protocolClasses = [WatchingURLProtocol.self] }.session
    let path = "/watched-\(expected)"
    let request = TransportRequest(url: server.origin + path, idleTimeout: timeout)
    #expect(await session.exchange(request).error == nil)
    let seen = WatchingURLProtocol.limits.all.first { $0.hasPrefix(path + " ") }
    #expect(seen == "\(path) \(expected)")
  }
}
