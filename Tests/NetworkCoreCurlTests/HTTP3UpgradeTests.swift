import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite(
  "Upgrades to HTTP/3", .enabled(if: HTTP3Server.isAvailable, Comment(rawValue: HTTP3Server.skipReason)),
  .timeLimit(.minutes(5)))
struct HTTP3UpgradeTests {
  private let identity: LoopbackServer.Identity
  private var configuration = CurlConfiguration()

  init() throws {
    let authority = try LoopbackServer(tls: .generated)
    identity = try #require(authority.identity)
    configuration.tls.authorities = .data(authority.authority)
    configuration.httpVersion = .http3IfAdvertised
    // The server may be slow on a busy machine.
    configuration.timeouts.service = .seconds(60)
  }

  /// Starts a server that speaks HTTP/2 and advertises a service, by default on its own port.
  private func origin(service: UInt16? = nil, parameters: String = "") throws -> LoopbackServer {
    var options = LoopbackServer.Options()
    options.http2 = .init()
    return try LoopbackServer(tls: .using(identity), options: options) { request in
      let own = request.headers["Host"]?.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
      let reply = request.path == "/misdirected" ? LoopbackServer.Reply.status(421) : .text(request.method)
      return reply.header("Alt-Svc", #"h3=":\#(service ?? own)"\#(parameters)"#)
    }
  }

  @Test("after an advertisement, requests go to the service, whichever handle carries them")
  func upgrade() async throws {
    let server = try HTTP3Server(identity)
    let origin = try origin(service: server.port, parameters: "; ma=600")
    let transport = try CurlTransport(configuration: configuration)
    let first = await transport.exchange(.init(url: origin.origin))
    #expect(first.head?.httpVersion == .http2)
    let started = (0..<20).map { transport.record(.init(method: .post, url: origin.origin + "/\($0)")) }
    for (index, item) in started.enumerated() {
      let events = await item.recorder.waitForEnd()
      #expect(events.error == nil)
      #expect(events.head?.httpVersion == .http3)
      #expect(events.body == Data("POST /\(index) h3".utf8))
      #expect(events.head?.url == origin.origin + "/\(index)")
    }
  }

  @Test("a service at the origin's own port is used too, despite the existing HTTP/2 connection")
  func ownPort() async throws {
    let origin = try origin()
    let server = try HTTP3Server(identity, port: origin.port)
    let transport = try CurlTransport(configuration: configuration)
    var versions: [HTTPVersion?] = []
    for _ in 0..<3 { versions.append(await transport.exchange(.init(url: origin.origin)).head?.httpVersion) }
    #expect(versions == [.http2, .http3, .http3])
    withExtendedLifetime(server) {}
  }

  @Test("without the policy for upgrades, an advertisement is ignored")
  func automatic() async throws {
    let server = try HTTP3Server(identity)
    let origin = try origin(service: server.port)
    var automatic = configuration
    automatic.httpVersion = .automatic
    let transport = try CurlTransport(configuration: automatic)
    for _ in 0..<3 {
      #expect(await transport.exchange(.init(url: origin.origin)).head?.httpVersion == .http2)
    }
    #expect(server.events.count == 1)
  }

  @Test("an advertisement in a 421 (Misdirected Request) is ignored")
  func misdirected() async throws {
    let server = try HTTP3Server(identity)
    let origin = try origin(service: server.port)
    let transport = try CurlTransport(configuration: configuration)
    #expect(await transport.exchange(.init(url: origin.origin + "/misdirected")).status == 421)
    #expect(await transport.exchange(.init(url: origin.origin)).head?.httpVersion == .http2)
    #expect(await transport.exchange(.init(url: origin.origin)).head?.httpVersion == .http3)
  }

  @Test(
    "a truncated challenge ends the request, which is not sent to the origin as well")
  func brokenRefusal() async throws {
    let server = try HTTP3Server(identity)
    let origin = try origin(service: server.port)
    var configuration = configuration
    configuration.credentials = [origin.origin: .digest(user: "me", password: "pw")]
    let transport = try CurlTransport(configuration: configuration)
    #expect(await transport.exchange(.init(url: origin.origin)).head?.httpVersion == .http2)
    let events = await transport.exchange(.init(method: .post, url: origin.origin + "/refuse"))
    #expect(events.error != nil)
    #expect(events.head == nil)
    #expect(events.body.isEmpty)
  }

  @Test(
    "if the service is unreachable or untrusted, the request goes to the origin, also a POST"
  )
  func failure() async throws {
    let other = try LoopbackServer(tls: .generated)
    let stranger = try HTTP3Server(try #require(other.identity))
    for port in [try freePort(), stranger.port] {
      let origin = try origin(service: port)
      var configuration = configuration
      configuration.timeouts.service = .seconds(2)
      let transport = try CurlTransport(configuration: configuration)
      for method in [HTTPMethod.get, .post, .post] {
        let body = TransportRequest.Body.data(Data("abc".utf8))
        let request = TransportRequest(
          method: method, url: origin.origin, body: method == .post ? body : .none)
        let events = await transport.exchange(request)
        #expect(events.error == nil)
        #expect(events.head?.httpVersion == .http2)
        #expect(events.body == Data(method.rawValue.utf8))
      }
    }
    #expect(!stranger.events.contains { $0.hasPrefix("request") })
  }
}
