import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Addresses and sockets", .timeLimit(.minutes(5)))
struct AddressTests {
  @Test("an override replaces name resolution, and the host keeps its name")
  func override() async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    var configuration = CurlConfiguration()
    configuration.names.overrides = [
      .init(host: "server.test", port: Int(server.port), addresses: ["127.0.0.1"])
    ]
    let transport = try CurlTransport(configuration: configuration)
    for _ in 0..<2 {
      let events = await transport.exchange(.init(url: "http://server.test:\(server.port)/"))
      #expect(events.error == nil)
    }
    #expect(
      server.log.requests.map { $0.headers["Host"] } == [
        "server.test:\(server.port)", "server.test:\(server.port)",
      ])
    let other = await transport.exchange(.init(url: "http://server.test:1/"))
    #expect(other.error == .cannotFindHost("server.test", isUnsent: true))
  }

  @Test("with IPv6 only, an IPv4 address cannot be reached; with IPv4 only, it can")
  func family() async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    var configuration = CurlConfiguration()
    configuration.names.family = .ipv6
    let events = await (try CurlTransport(configuration: configuration)).exchange(.init(url: server.origin))
    #expect(events.error != nil)
    #expect(server.log.connectionsAccepted == 0)
    configuration.names.family = .ipv4
    let transport = try CurlTransport(configuration: configuration)
    #expect(await transport.exchange(.init(url: server.origin)).error == nil)
  }

  @Test("if an address does not respond, the host's next address is used")
  func severalAddresses() async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    var configuration = CurlConfiguration()
    configuration.names.headStart = .milliseconds(50)
    // The second address is reserved for documentation (RFC 3849): it is unreachable, or nothing responds.
    for (index, dead) in [["::1"], ["2001:db8::1"], ["::1", "2001:db8::1"]].enumerated() {
      let name = "several-\(index).test"
      configuration.names.overrides = [
        .init(host: name, port: Int(server.port), addresses: dead + ["127.0.0.1"])
      ]
      let events = await (try CurlTransport(configuration: configuration))
        .exchange(.init(url: "http://\(name):\(server.port)/"))
      #expect(events.error == nil)
    }
    #expect(server.log.connectionsAccepted == 3)
  }

  @Test("the addresses of an override are tried in their order")
  func overrideOrder() async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    let forwarder = try ForwardingProxy(.socks5(), to: server.port)
    var configuration = CurlConfiguration()
    configuration.proxy = .proxy(
      .init(.socks5WithLocalNames, host: "127.0.0.1", port: Int(forwarder.port)))
    configuration.names.overrides = [
      .init(host: "server.test", port: 80, addresses: ["192.0.2.7", "192.0.2.8"])
    ]
    let transport = try CurlTransport(configuration: configuration)
    #expect(await transport.exchange(.init(url: "http://server.test/")).error == nil)
    #expect(forwarder.log.all == ["192.0.2.7:80"])
  }

  #if os(Linux)
    @Test(
      "during the head start of IPv6, no IPv4 address is contacted",
      .enabled(if: UnansweredAddress() != nil, "the machine has no IPv6"))
    func headStart() async throws {
      var found: (address: UnansweredAddress, server: LoopbackServer)?
      // The port may be in use at the other address.
      for _ in 0..<50 where found == nil {
        guard let address = UnansweredAddress(),
          let server = try? LoopbackServer(port: address.port, handler: { _ in .text("ok") })
        else { continue }
        found = (address, server)
      }
      let (address, server) = try #require(found)
      var configuration = CurlConfiguration()
      configuration.names.overrides = [
        .init(host: "both.test", port: Int(address.port), addresses: ["::1", "127.0.0.1"])
      ]
      configuration.names.headStart = .seconds(10)
      configuration.timeouts.connect = .seconds(1)
      let events = await (try CurlTransport(configuration: configuration))
        .exchange(.init(url: "http://both.test:\(address.port)/"))
      #expect(events.error == .timedOut(.connect, after: .seconds(1), isUnsent: true))
      #expect(server.log.connectionsAccepted == 0)
      withExtendedLifetime(address) {}
    }
  #endif

  @Test(
    "TCP keep-alive starts after the configured time, or never",
    arguments: [
      (.seconds(60), 60), (.seconds(7), 7), (.milliseconds(6500), 7), (.seconds(2363), 2363),
      (.seconds(32_767), 32_767), (nil, 0),
    ]
      as [(Duration?, CInt)])
  func keepAlive(time: Duration?, whole: CInt) async throws {
    let server = try LoopbackServer { _ in .never }
    var configuration = CurlConfiguration()
    if time != .seconds(60) { configuration.connections.keepAlive = time }
    let transport = try CurlTransport(configuration: configuration)
    let held = transport.record(.init(url: server.origin))
    try await server.log(until: { $0.pending == 1 })
    let socket = try #require(ProcessFacts.sockets(connectedTo: server.port).first)
    func option(_ level: CInt, _ name: CInt) -> CInt {
      var value: CInt = -1
      var size = socklen_t(MemoryLayout<CInt>.size)
      return getsockopt(socket, level, name, &value, &size) == 0 ? value : -1
    }
    #expect((option(SOL_SOCKET, SO_KEEPALIVE) != 0) == (time != nil))
    #if os(Linux)
      for name in [TCP_KEEPIDLE, TCP_KEEPINTVL] {
        if time != nil { #expect(option(CInt(IPPROTO_TCP), name) == whole) }
      }
    #endif
    held.transfer.cancel()
    #expect(await held.recorder.waitForEnd().error == .cancelled)
  }

  @Test(
    "a connection that is too old or has been idle for too long is not reused",
    arguments: [("lifetime", 2), ("idle", 2), ("", 1)])
  func lifetimes(limit: String, connections: Int) async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    let slow = try LoopbackServer { _ in .text("ok").delayed(by: .milliseconds(2_500)) }
    var configuration = CurlConfiguration()
    if limit == "lifetime" { configuration.connections.lifetime = .seconds(1) }
    if limit == "idle" { configuration.connections.idleLifetime = .seconds(1) }
    let transport = try CurlTransport(configuration: configuration)
    // An exchange with another server lets time pass, because libcurl counts whole seconds.
    for url in [server.origin, slow.origin, server.origin] {
      #expect(await transport.exchange(.init(url: url)).error == nil)
    }
    #expect(server.log.connectionsAccepted == connections)
  }

  @Test("requests beyond the limit per host wait for a connection")
  func limitPerHost() async throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { _ in .text("ok").held(until: gate) }
    var configuration = CurlConfiguration()
    configuration.connections.limitPerHost = 2
    let transport = try CurlTransport(configuration: configuration)
    let started = (0..<6).map { _ in transport.record(.init(url: server.origin)) }
    try await server.log(until: { $0.pending == 2 })
    gate.open()
    for item in started { #expect(await item.recorder.waitForEnd().error == nil) }
    #expect(server.log.connectionsAccepted == 2)
  }

  @Test(
    "a request beyond the limit of requests of all threads is refused at once, and ended ones do not count",
    arguments: [(1, 3), (3, 4), (3, 1)])
  func requestLimit(threads: Int, limit: Int) async throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { request in
      request.path == "/held" ? .text("ok").held(until: gate) : .text("ok")
    }
    var configuration = CurlConfiguration()
    configuration.threads = threads
    configuration.connections.requestLimit = limit
    let transport = try CurlTransport(configuration: configuration)
    let started = (0..<limit).map { _ in transport.record(.init(url: server.origin + "/held")) }
    for _ in 0..<5 {
      let error = await transport.exchange(.init(url: server.origin)).error
      #expect(error == .queueFull(maxWaiting: limit))
      #expect(error?.isRefusal == true)
    }
    gate.open()
    for item in started { #expect(await item.recorder.waitForEnd().error == nil) }
    #expect(await transport.exchange(.init(url: server.origin)).error == nil)
    #expect(server.log.requestCount == limit + 1)
  }

  @Test(
    "requests and redirects within a Unix domain socket reach it; no other client can be redirected there"
  )
  func unixSocket() async throws {
    let server = try LoopbackServer { request in
      switch request.path {
      case "/from": .redirect(to: "/to?q")
      case "/absolute": .redirect(to: "http://localhost/to?q")
      default: .text(request.target)
      }
    }
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("Proxy \(UUID()).sock")
      .path
    let forwarder = try ForwardingProxy(at: path, to: server.port)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let host = path.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    let transport = try CurlTransport()
    let plain = await transport.exchange(.init(url: "http+unix://\(host)/a/b?c=d"))
    #expect(plain.error == nil)
    #expect(plain.body == Data("/a/b?c=d".utf8))
    #expect(plain.head?.url == "http+unix://\(host)/a/b?c=d")
    #expect(server.log.requests.first?.headers["Host"] == "localhost")
    let handled = Session(
      configuration: .ephemeral, redirectHandler: .modify { _, request, _ in request })
    for (follower, start) in [
      (transport as any Transport, "/from"), (transport, "/absolute"), (handled, "/from"),
      (handled, "/absolute"),
    ] {
      let headers: HTTPHeaders = ["Authorization": "mine"]
      let events = await follower.exchange(.init(url: "http+unix://\(host)\(start)", headers: headers))
      #expect(events.body == Data("/to?q".utf8), "\(start): \(String(describing: events.error))")
      #expect(events.head?.url == "http+unix://\(host)/to?q")
      #expect(server.log.requests.last?.headers["Authorization"] == "mine")
    }
    server.route("/leave") { _ in .redirect(to: "http+unix://\(host)/a") }
    let events = await transport.exchange(.init(url: "\(server.origin)/leave"))
    guard case .redirectRefused? = events.error else {
      Issue.record("\(String(describing: events.error))")
      return
    }
    withExtendedLifetime(forwarder) {}
  }

  @Test(
    "a transport with one IP version reaches a Unix domain socket, and afterwards no address of the other",
    arguments: [CurlConfiguration.Names.Family.ipv4, .ipv6])
  func unixSocketWithFamily(family: CurlConfiguration.Names.Family) async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    let folder = try TemporaryFolder()
    let path = folder.file("socket").path
    let local = try LoopbackServer(on: .unix(path: path)) { _ in .text("ok") }
    let host = path.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    var configuration = CurlConfiguration()
    configuration.names.family = family
    let transport = try CurlTransport(configuration: configuration)
    for _ in 0..<2 {
      #expect(await transport.exchange(.init(url: "http+unix://\(host)/")).error == nil)
      let events = await transport.exchange(.init(url: server.origin))
      #expect((events.error == nil) == (family == .ipv4))
    }
    withExtendedLifetime((folder, local)) {}
  }

  @Test("a provider sends requests to the Unix domain socket in its target's base URL")
  func provider() async throws {
    let server = try LoopbackServer { request in .text(request.target) }
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).sock").path
    let forwarder = try ForwardingProxy(at: path, to: server.port)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let host = path.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    let base = try #require(URL(string: "http+unix://\(host)/v1"))
    let provider = NetworkProvider<LoopbackTarget>(transport: try CurlTransport())
    let ending = CompletionStream()
    provider.request(LoopbackTarget(base, "/info"), completion: ending.completion)
    #expect(try await ending.next().get().data == Data("/v1/info".utf8))
    withExtendedLifetime(forwarder) {}
  }

  @Test(
    "an invalid socket path is an unsupported URL; URLSession supports no socket",
    arguments: ["http+unix:///path", "http+unix://relative/", "http+unix://%2Fa%00b/", "http+unix://%zz/"])
  func badSocket(url: String) async throws {
    #expect(await (try CurlTransport()).exchange(.init(url: url)).error == .unsupportedURL(url))
    let valid = "http+unix://%2Frun%2Fx.sock/"
    #expect(await URLSessionTransport().exchange(.init(url: valid)).error == .unsupportedURL(valid))
  }

  @Test("connecting to a missing socket fails, and a path of more than 107 bytes is rejected")
  func missingSocket() async throws {
    let transport = try CurlTransport()
    let long = "http+unix://%2F" + String(repeating: "a", count: 107) + "/"
    #expect(await transport.exchange(.init(url: long)).error == .unsupportedURL(long))
    let longest = "http+unix://%2F" + String(repeating: "a", count: 106) + "/"
    let events = await transport.exchange(.init(url: longest))
    guard case .cannotConnect? = events.error else {
      Issue.record("\(String(describing: events.error))")
      return
    }
  }

  @Test("overrides and proxies that libcurl would misread are rejected")
  func senseless() {
    func refusal(_ change: (inout CurlConfiguration) -> Void) -> Bool {
      var configuration = CurlConfiguration()
      change(&configuration)
      return (try? CurlTransport(configuration: configuration)) == nil
    }
    for (host, port, addresses) in [
      ("a:80:1.1.1.1", 80, ["1.1.1.1"]), ("", 80, ["1.1.1.1"]), ("a", 0, ["1.1.1.1"]), ("a", 80, []),
      ("a", 80, ["1.1.1.1,2.2.2.2"]), ("a", 65_536, ["1.1.1.1"]), ("a", 80, [""]), ("a", 80, ["b.test"]),
      ("*", 80, ["1.1.1.1"]),
    ] {
      #expect(
        refusal { $0.names.overrides = [.init(host: host, port: port, addresses: addresses)] }, "\(host)")
    }
    for (host, port) in [
      ("", 80), ("a/b", 80), ("u@b", 80), ("a", 0), ("a", 65_536), ("[::1]:81/a]", 80), ("[u:p@a]", 80),
      ("[hello:world]", 80), ("[fe80::1%]", 80), ("[fe80::1%a/b]", 80),
      ("[a]", 80), ("[]", 80),
    ] {
      #expect(refusal { $0.proxy = .proxy(.init(.http, host: host, port: port)) }, "\(host):\(port)")
    }
    for count in [0, -1, Int(Int32.max) + 1, Int.max] {
      #expect(refusal { $0.connections.limit = count })
      #expect(refusal { $0.connections.limitPerHost = count })
      #expect(refusal { $0.connections.streamLimit = count })
      #expect(refusal { $0.connections.requestLimit = count })
      #expect(
        refusal {
          $0.threads = 2
          $0.connections.requestLimit = count
        })
    }
    for time in [Duration.seconds(-1), .zero, .seconds(2_000_001)] {
      #expect(refusal { $0.connections.keepAlive = time })
      #expect(refusal { $0.connections.idleLifetime = time })
      #expect(refusal { $0.connections.lifetime = time })
    }
    #expect(refusal { $0.connections.keepAlive = .seconds(32_768) })
    for time in [Duration.seconds(-1), .seconds(2_000_001)] { #expect(refusal { $0.names.cacheTime = time }) }
    for time in [Duration.zero, .milliseconds(10_100)] { #expect(refusal { $0.names.headStart = time }) }
    #expect(refusal { $0.proxy = .proxy(.init(.http, host: "a", port: 80, password: "secret")) })
    #expect(!refusal { $0.proxy = .proxy(.init(.http, host: "a", port: 80, user: "", password: "secret")) })
    for host in ["[::1]", "[fe80::1%25eth0]"] {
      #expect(!refusal { $0.proxy = .proxy(.init(.http, host: host, port: 80)) }, "\(host)")
    }
    // The limits themselves are accepted.
    #expect(
      !refusal {
        $0.names.overrides = [.init(host: "a_b-c.D", port: 65_535, addresses: ["::1", "1.1.1.1"])]
        $0.names.cacheTime = .zero
        $0.names.headStart = .seconds(10)
        $0.connections.limit = 1
        $0.connections.keepAlive = .seconds(32_767)
        $0.connections.idleLifetime = .seconds(2_000_000)
        $0.timeouts.connect = .seconds(2_000_000)
      })
    #expect(
      !refusal {
        $0.proxy = .proxy(.init(.http, host: "a", port: 65_535))
        $0.names.cacheTime = .seconds(2_000_000)
        $0.names.headStart = .milliseconds(1)
        $0.connections.requestLimit = Int(Int32.max)
        $0.connections.limitPerHost = Int(Int32.max)
      })
  }
}

#if os(Linux)
  /// A port of `::1` that neither accepts nor refuses a connection, because its queue is full.
  private final class UnansweredAddress {
    let port: UInt16
    private let sockets: [CInt]

    /// Returns `nil` on a machine without IPv6.
    init?() {
      let (listener, client) = (socket(AF_INET6, streamSocket, 0), socket(AF_INET6, streamSocket, 0))
      for socket in [listener, client] { _ = fcntl(socket, F_SETFD, FD_CLOEXEC) }
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
      let isFull =
        inet_pton(AF_INET6, "::1", &address.sin6_addr) == 1
        && withUnsafeMutablePointer(to: &address) {
          $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            // The queue holds one connection more than the number says.
            bind(listener, $0, size) == 0 && listen(listener, 0) == 0 && getsockname(listener, $0, &size) == 0
              && connect(client, $0, size) == 0
          }
        }
      (port, sockets) = (UInt16(bigEndian: address.sin6_port), [listener, client])
      if !isFull { return nil }
    }

    deinit {
      for socket in sockets { close(socket) }
    }
  }
#endif
