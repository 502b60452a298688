import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("URLs of every kind", .timeLimit(.minutes(5)))
struct URLTests {
  private func kind(_ error: TransferError?) -> String {
    error.map { "\($0)".prefix { $0 != "(" }.description } ?? "none"
  }

  @Test(
    "an unusable URL is an error before anything is sent", arguments: TransportKind.allCases,
    [
      "http://", "http:///path", "http://:80/", "http://?q", "http://#f", "http:127.0.0.1/", "http://[::1/",
      "http://[]/",
      "http://[::1]x/", "http://::1:80/", "http://127.0.0.1:65536/", "http://127.0.0.1:99999/",
      "http://127.0.0.1:-1/",
      "http://127.0.0.1:abc/", "http://127.0.0.1:8o/", "http://127.0.0.1 /", "http://127.0.0.1\t/",
      "http://127.0.0.1\n/",
      "http://127.0.0.1/\u{0}", "http://127.0.0.1\\evil/", "http://a,b/", "http://a;b/", "http://a&b/",
      "http://*/",
      "http://\u{202E}evil.invalid/", "http://a\u{FF0F}b.invalid/", "http://a\u{FF20}b.invalid/",
      "http://-ü-.invalid/",
      "javascript:alert(1)", "data:,x", "gopher://127.0.0.1/", "dict://127.0.0.1/", "scp://127.0.0.1/",
      "//127.0.0.1/",
    ])
  func unsupported(transport: TransportKind, url: String) async throws {
    let events = await (try transport.make()).exchange(.init(url: url))
    #expect(events.error == .unsupportedURL(url))
  }

  @Test("the URL of a Unix domain socket is valid only for a transport that supports it")
  func validatedUnixSocket() throws {
    let request = TransportRequest(url: "http+unix://%2Frun%2Fa.sock/")
    #expect(throws: TransferError.unsupportedURL(request.url)) { try request.validated() }
    #expect(try request.validated(allowsUnixSockets: true) == request)
  }

  @Test("extreme ports, and a URL of 8 MiB, are handled")
  func edges() async throws {
    let transport = try CurlTransport()
    #expect(kind(await transport.exchange(.init(url: "http://127.0.0.1:0/")).error) == "cannotConnect")
    let server = try LoopbackServer { .text("\($0.target.utf8.count)") }
    func exchange(length: Int) async -> TransferRecorder.Events {
      let path = String(repeating: "a", count: length)
      return await transport.exchange(.init(url: "\(server.origin)/\(path)"))
    }
    #expect(await exchange(length: 5_000).body == Data("5001".utf8))
    #expect(kind(await exchange(length: 8 << 20).error) == "unsupportedURL")
    #expect(await transport.exchange(.init(url: server.origin)).error == nil)
  }

  @Test(
    "a host that does not exist is cannotFindHost", arguments: TransportKind.allCases,
    ["a..invalid", "xn--bcher-kva.invalid", String(repeating: "a", count: 300) + ".invalid", "a_b.invalid"])
  func notFound(transport: TransportKind, host: String) async throws {
    let events = await (try transport.make()).exchange(.init(url: "http://\(host)/"))
    #expect(events.error == .cannotFindHost(host, isUnsent: transport == .curl))
  }

  @Test(
    "path and query are sent unchanged, except for non-ASCII characters and the case of percent escapes",
    arguments: [
      ("/a?b=c#fragment", "/a?b=c"), ("?q", "/?q"), ("#f?x", "/"), ("/%", "/%"),
      ("/%zz%0d%0aX:%20y?%c3%bc", "/%zz%0D%0AX:%20y?%c3%bc"),
      ("/%c3?/%c3%2f", "/%C3?/%c3%2f"), ("?%c3", "/?%c3"),
      ("/a/./b/../c", "/a/c"), ("/../../etc/passwd", "/etc/passwd"), ("//x", "//x"),
      ("/a;b,c@d:e", "/a;b,c@d:e"),
      ("/ünï?ä=ö#ß", "/%C3%BCn%C3%AF?%C3%A4=%C3%B6"), ("/\u{1F600}", "/%F0%9F%98%80"),
    ])
  func target(text: String, sent: String) async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    let events = await (try CurlTransport()).exchange(.init(url: server.origin + text))
    #expect(events.error == nil)
    #expect(server.log.requests.map(\.target) == [sent])
  }

  @Test(
    "a host with non-ASCII letters is resolved in its IDNA form",
    arguments: TransportKind.allCases)
  func international(kind: TransportKind) async throws {
    let transport = try kind.make()
    let unknown = await transport.exchange(.init(url: "http://bücher.invalid:80/"))
    #expect(unknown.error == .cannotFindHost("xn--bcher-kva.invalid", isUnsent: kind == .curl))
    let server = try LoopbackServer { _ in .text("ok") }
    // Full-width digits: the host must be normalised before it is resolved.
    let events = await transport.exchange(.init(url: "http://１２７.0.0.1:\(server.port)/é"))
    #expect(events.error == nil)
    #expect(events.head?.url == "\(server.origin)/%C3%A9")
    #expect(server.log.requests.first?.headers["Host"] == "127.0.0.1:\(server.port)")
  }

  @Test("a URL whose user and host have non-ASCII letters is converted as a whole")
  func internationalUser() throws {
    let request = TransportRequest(url: "http://mü:p@bücher.example:8080/é?ö")
    let sent = "http://m%C3%BC:p@xn--bcher-kva.example:8080/%C3%A9?%C3%B6"
    #expect(try request.validated().url == sent)
  }

  @Test("a redirect to a host with non-ASCII letters, or to bytes that are not UTF-8, is handled")
  func internationalRedirect() async throws {
    let server = try LoopbackServer { _ in .text("there") }
    let origin = server.origin
    server.route("/name") { _ in .redirect(to: "http://bücher.invalid/é") }
    server.route("/bytes") { _ in
      var head = Array("HTTP/1.1 302 F\r\nContent-Length: 0\r\nLocation: \(origin)/caf".utf8)
      head += [0xE9, 0x0D, 0x0A, 0x0D, 0x0A]
      return .raw(head)
    }
    let transport = try CurlTransport()
    #expect(
      await transport.exchange(.init(url: "\(origin)/name")).error == .cannotFindHost("xn--bcher-kva.invalid")
    )
    #expect(await transport.exchange(.init(url: "\(origin)/bytes")).body == Data("there".utf8))
    #expect(server.log.requests.last?.target.lowercased() == "/caf%e9")
  }

  @Test("user and password in a URL are sent as Basic to its host, and nowhere else")
  func user() async throws {
    let server = try LoopbackServer { .text($0.headers["Authorization"] ?? "none") }
    let transport = try CurlTransport()
    let url = "http://me:p%3Aw@127.0.0.1:\(server.port)"
    #expect(await transport.exchange(.init(url: url)).body == Data("Basic bWU6cDp3".utf8))
    server.route("/leave") { [port = server.port] _ in .redirect(to: "http://localhost:\(port)/") }
    #expect(await transport.exchange(.init(url: url + "/leave")).body == Data("none".utf8))
    #expect(await transport.exchange(.init(url: server.origin)).body == Data("none".utf8))
    // The text before the last at sign is not the host.
    let other = await transport.exchange(.init(url: "http://127.0.0.1:\(server.port)@no.invalid/"))
    #expect(other.error == .cannotFindHost("no.invalid", isUnsent: true))
  }

  @Test("an IPv6 address is a host; URLSession supports none")
  func ipv6() async throws {
    let server = try LoopbackServer { .text($0.headers["Host"] ?? "") }
    let transport = try CurlTransport()
    let events = await transport.exchange(.init(url: "http://[::ffff:127.0.0.1]:\(server.port)/"))
    switch events.error {
    case nil: #expect(events.body == Data("[::ffff:127.0.0.1]:\(server.port)".utf8))
    // A machine without IPv6.
    case .cannotConnect?: break
    case let error: Issue.record("\(String(describing: error))")
    }
    // An address needs no name lookup, so only the connection can fail.
    for url in ["http://[::1]:1/", "http://[::1%25lo]:1/"] {
      #expect(kind(await transport.exchange(.init(url: url)).error) == "cannotConnect", "\(url)")
    }
  }

  @Test(
    "a redirect to an unusable URL is refused with the URL, and its connection kept",
    arguments: [
      "file:///etc/passwd", "gopher://127.0.0.1/", "javascript:alert(1)", "ftp://127.0.0.1/", "http://[::1",
      "http://127.0.0.1:99999/", "http://127.0.0.1\\@evil.invalid/",
      "http://\u{202E}evil.invalid/",
    ])
  func redirect(location: String) async throws {
    let server = try LoopbackServer { $0.path == "/from" ? .redirect(to: location) : .text("ok") }
    let transport = try CurlTransport()
    let events = await transport.exchange(.init(url: "\(server.origin)/from"))
    guard case .redirectRefused(let refused, _)? = events.error else {
      Issue.record("\(String(describing: events.error))")
      return
    }
    #expect(refused == location)
    #expect(await transport.exchange(.init(url: server.origin)).error == nil)
    #expect(server.log.connectionsAccepted == 1)
  }

  @Test("a redirect to an empty location is a response")
  func emptyLocation() async throws {
    let server = try LoopbackServer { _ in .text("here", status: 302).header("Location", " ") }
    let events = await (try CurlTransport()).exchange(.init(url: server.origin))
    #expect(events.error == nil)
    #expect(events.status == 302)
    #expect(events.body == Data("here".utf8))
  }
}
