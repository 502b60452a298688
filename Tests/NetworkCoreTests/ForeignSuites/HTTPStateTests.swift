import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("The test suite of RFC 6265", .timeLimit(.minutes(5)))
struct HTTPStateTests {
  struct Exchange: Decodable, Sendable {
    /// The values of `Set-Cookie`.
    let received: [String]
    /// The `Cookie` field of the next request; empty for none.
    let sent: String
    /// The URL of the next request, if it is not the usual one.
    let sentTo: String?
  }

  struct ExpiryDate: Decodable, Sendable {
    /// The date in the usual format; `nil` for text that is not a date.
    let date: String?
  }

  @Test("the files are complete")
  func files() throws {
    try ForeignSuite<Exchange>.check("http-state", count: 222)
    try ForeignSuite<ExpiryDate>.check("cookie-dates", count: 68)
  }

  /// Responds with the given `Set-Cookie` fields, and with the cookies that it gets.
  private func serve(_ fields: [String]) throws -> LoopbackServer {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n" + fields.map { "Set-Cookie: \($0)\r\n" }.joined()
    return try LoopbackServer { request in
      request.path == "/cookie-parser"
        ? .raw((head + "\r\n").utf8, closing: true) : .text(request.headers["Cookie"] ?? "")
    }
  }

  private func transport(to server: LoopbackServer) throws -> CurlTransport {
    var configuration = CurlConfiguration()
    configuration.cookies = .memory
    configuration.proxy = .none
    let hosts = ["home", "sibling", "sibling.home", "subdomain.home"].map { "\($0).example.org" }
    configuration.names.overrides = hosts.map {
      .init(host: $0, port: Int(server.port), addresses: ["127.0.0.1"])
    }
    return try CurlTransport(configuration: configuration)
  }

  @Test("the cookies of each case", arguments: ForeignSuite<Exchange>.cases(of: "http-state"))
  func cookies(_ exchange: ForeignSuite<Exchange>.Case) async throws {
    let server = try serve(exchange.content.received)
    let transport = try transport(to: server)
    let home = "http://home.example.org:\(server.port)"
    _ = await transport.exchange(.init(url: "\(home)/cookie-parser?\(exchange.name)"))
    let target = exchange.content.sentTo ?? "/cookie-parser-result?\(exchange.name)"
    let url =
      target.hasPrefix("/") ? home + target : target.replacing(":8888/", with: ":\(server.port)/")
    let sent = String(decoding: await transport.exchange(.init(url: url)).body, as: UTF8.self)
    exchange.expect(sent == exchange.content.sent, "\(sent.debugDescription)")
  }

  // The moment itself is what other tests check; here, a date of the past removes the cookie.
  @Test(
    "a cookie with each date expires, unless the date is in the future or is none",
    arguments: ForeignSuite<ExpiryDate>.cases(of: "cookie-dates"))
  func dates(_ date: ForeignSuite<ExpiryDate>.Case) async throws {
    let server = try serve(["a=1", "a=2; Expires=\(date.name)"])
    let transport = try transport(to: server)
    let home = "http://home.example.org:\(server.port)"
    _ = await transport.exchange(.init(url: "\(home)/cookie-parser"))
    let sent = String(decoding: await transport.exchange(.init(url: "\(home)/")).body, as: UTF8.self)
    let isPast = date.content.date.map { !$0.contains("2037") } ?? false
    date.expect(sent == (isPast ? "" : "a=2"), "\(sent.debugDescription)")
  }
}
