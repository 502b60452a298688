import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

/// The rules of RFC 6265 and RFC 6265bis, with hosts that the DNS override leads to the server.
@Suite("Cookie rules", .timeLimit(.minutes(5)))
struct CookieRulesTests {
  private let server: LoopbackServer
  private let folder: TemporaryFolder
  private var jar: String { folder.file("jar").path }

  /// Every path sets the cookies of the query, and responds with those that it gets.
  init() throws {
    server = try LoopbackServer { request in
      if request.path == "/held" { return .never }
      let cookies = request.headers["Cookie"] ?? "none"
      let reply =
        request.query("to").map { LoopbackServer.Reply.redirect(to: $0) } ?? .text(cookies)
      return (request.query("set") ?? "").split(separator: "|").reduce(reply) {
        $0.header("Set-Cookie", String($1))
      }
    }
    folder = try TemporaryFolder()
  }

  private func transport(_ cookies: CurlConfiguration.CookieStorage = .memory) throws -> CurlTransport {
    var configuration = CurlConfiguration()
    configuration.cookies = cookies
    configuration.proxy = .none
    let hosts = [
      "example.com", "www.example.com", "sub.www.example.com", "ample.com", "a.co.uk", "b.co.uk",
      "co.uk", "intranet",
    ]
    configuration.names.overrides = hosts.map {
      .init(host: $0, port: Int(server.port), addresses: ["127.0.0.1"])
    }
    return try CurlTransport(configuration: configuration)
  }

  private func url(_ host: String, _ path: String = "/", _ query: [String: String] = [:]) -> String {
    var components = URLComponents()
    components.queryItems = query.map { URLQueryItem(name: $0.key, value: $0.value) }
    let text = components.percentEncodedQuery?.replacingOccurrences(of: "+", with: "%2B") ?? ""
    return "http://\(host):\(server.port)\(path)" + (text.isEmpty ? "" : "?\(text)")
  }

  /// Sets cookies, separated by `|`.
  private func set(_ cookies: String, _ host: String, at path: String = "/", _ transport: CurlTransport) async
  {
    #expect(await transport.exchange(.init(url: url(host, path, ["set": cookies]))).error == nil)
  }

  private func get(_ host: String, at path: String = "/", _ transport: CurlTransport) async -> String {
    String(decoding: await transport.exchange(.init(url: url(host, path))).body, as: UTF8.self)
  }

  @Test(
    "a domain's cookies reach its hosts, and no other domain may be named",
    arguments: [
      ("a=1", "www.example.com", "www.example.com", true),
      ("a=1", "www.example.com", "sub.www.example.com", false),
      ("a=1; Domain=example.com", "www.example.com", "example.com", true),
      ("a=1; Domain=.EXAMPLE.com", "www.example.com", "sub.www.example.com", true),
      ("a=1; Domain=www.example.com", "www.example.com", "example.com", false),
      ("a=1; Domain=", "www.example.com", "www.example.com", true),
      ("a=1; Domain=", "www.example.com", "sub.www.example.com", false),
      ("a=1; Domain=sub.www.example.com", "www.example.com", "www.example.com", false),
      ("a=1; Domain=ample.com", "www.example.com", "www.example.com", false),
      ("a=1; Domain=ample.com", "example.com", "ample.com", false),
      ("a=1; Domain=example.com.", "www.example.com", "www.example.com", false),
      ("a=1; Domain=127.0.0.1", "127.0.0.1", "127.0.0.1", true),
      ("a=1; Domain=0.0.1", "127.0.0.1", "127.0.0.1", false),
      ("a=1; Domain=intranet", "intranet", "intranet", true),
      ("a=1; Domain=www.example.com; Domain=example.com", "www.example.com", "example.com", true),
    ])
  func domain(_ cookie: String, _ sender: String, _ receiver: String, _ isSent: Bool) async throws {
    let transport = try transport()
    await set(cookie, sender, transport)
    #expect(await get(receiver, transport) == (isSent ? "a=1" : "none"))
  }

  @Test(
    "no host sets a cookie for a public suffix",
    arguments: ["co.uk", "co.uk.", ".co.uk", "CO.UK", "uk", "com"])
  func suffix(_ domain: String) async throws {
    let transport = try transport()
    await set("a=1; Domain=\(domain)", "a.co.uk", transport)
    #expect(await get("b.co.uk", transport) == "none")
    // The host that is a suffix itself may set one for itself.
    await set("a=2; Domain=co.uk", "co.uk", transport)
    #expect(await get("co.uk", transport) == "a=2")
    #expect(await get("b.co.uk", transport) == "none")
  }

  @Test(
    "a path's cookies reach the paths below it",
    arguments: [
      ("a=1", "/x/y", "/x", true), ("a=1", "/x/y", "/x/z/w", true), ("a=1", "/x/y", "/xy", false),
      ("a=1", "/x/y", "/", false), ("a=1", "/x", "/", true), ("a=1; Path=/x", "/", "/x/y", true),
      ("a=1; Path=/x/", "/", "/x", false), ("a=1; Path=x", "/y/z", "/y", true),
      ("a=1; Path=/x; Path=/y", "/", "/x", false), ("a=1; Path=/x", "/", "/y/../x", true),
      ("a=1; Path=/x", "/", "/x/../y", false), ("a=1; Path=/x", "/", "/x?/y", true),
      ("a=1; Path=/x%2Fy", "/", "/x%2fy/z", true), ("a=1; Path=/x%2fy", "/", "/x%2fy", true),
      ("a=1", "/x%2fy/z", "/x%2Fy", true), ("a=1; Path=/x", "/", "/x#y", true),
      ("a=1; Path=/x\ty", "/", "/", true), ("a=1; Path=/x; Path=y", "/", "/", true),
    ])
  func path(_ cookie: String, _ sender: String, _ receiver: String, _ isSent: Bool) async throws {
    let transport = try transport()
    await set(cookie, "127.0.0.1", at: sender, transport)
    #expect(await get("127.0.0.1", at: receiver, transport) == (isSent ? "a=1" : "none"))
  }

  @Test("the longest paths come first, then the oldest cookies; a replaced cookie keeps its age")
  func order() async throws {
    let transport = try transport()
    await set("z=1; Path=/|y=1; Path=/x|b=1; Path=/|a=1; Path=/|z=2; Path=/", "127.0.0.1", transport)
    #expect(await get("127.0.0.1", at: "/x", transport) == "y=1; z=2; b=1; a=1")
  }

  @Test("only as many cookies are sent as fit into a field that servers accept, the oldest first")
  func longField() async throws {
    let value = String(repeating: "x", count: 3_000)
    let lines = ["a", "b", "c"].map { "www.example.com\tFALSE\t/\tFALSE\t0\t\($0)\t\(value)\n" }
    try lines.joined().write(toFile: jar, atomically: true, encoding: .utf8)
    let transport = try transport(.file(jar))
    // Compared outside #expect, because a mismatch would print all values.
    let isWithinLimit = await get("www.example.com", transport) == "a=\(value); b=\(value)"
    #expect(isWithinLimit)
  }

  @Test("a request sends at most 150 cookies, the oldest first")
  func manyCookies() async throws {
    let lines: [String] = (0..<151).map { "www.example.com\tFALSE\t/\tFALSE\t0\tn\($0)\t1\n" }
    try lines.joined().write(toFile: jar, atomically: true, encoding: .utf8)
    let pairs: [String] = (0..<150).map { "n\($0)=1" }
    #expect(await get("www.example.com", try transport(.file(jar))) == pairs.joined(separator: "; "))
  }

  @Test(
    "a Cookie field has at most 8,190 bytes, and no cookie follows one that does not fit",
    arguments: [(2_180, "a b c"), (2_181, "a b")])
  func fieldSize(count: Int, sent: String) async throws {
    let cookies = [("a", 3_000), ("b", 3_000), ("c", count), ("d", 1)]
    let lines: [String] = cookies.map { name, count in
      "www.example.com\tFALSE\t/\tFALSE\t0\t\(name)\t\(String(repeating: "x", count: count))\n"
    }
    try lines.joined().write(toFile: jar, atomically: true, encoding: .utf8)
    let field = await get("www.example.com", try transport(.file(jar)))
    // Compared without the values, because a mismatch would print all of them.
    let names: [String] = field.components(separatedBy: "; ").map { String($0.prefix(1)) }
    #expect(names.joined(separator: " ") == sent)
  }

  @Test("an attribute of up to 1,024 bytes counts, and a longer one is ignored", arguments: [1_024, 1_025])
  func longAttribute(count: Int) async throws {
    let path = "/" + String(repeating: "x", count: count - 1)
    let transport = try transport()
    await set("a=1; Path=\(path)", "127.0.0.1", transport)
    #expect(await get("127.0.0.1", transport) == (count > 1_024 ? "a=1" : "none"))
  }

  @Test(
    "a cookie expires as its attributes say, and the longest is 400 days",
    arguments: [
      ("", true), ("Max-Age=0", false), ("Max-Age=-1", false), ("Max-Age=100", true), ("Max-Age=+100", true),
      ("Max-Age=99999999999999999999999", true), ("Max-Age=1x; Expires=Thu, 01 Jan 1970 00:00:00 GMT", false),
      ("Max-Age=100; Expires=Thu, 01 Jan 1970 00:00:00 GMT", true),
      ("Max-Age=0; Max-Age=x", false), ("Expires=Thu, 01 Jan 1970 00:00:00 GMT; Expires=never", false),
      ("Max-Age=0; Expires=Thu, 01 Jan 2099 0:0:0", false),
      ("Expires=Thu, 01 Jan 1970 00:00:00 GMT", false), ("Expires=Thursday, 01-Jan-70 00:00:00 GMT", false),
      ("Expires=Thu Jan  1 00:00:00 1970", false), ("Expires=01 jan 1990 0:0:0", false),
      ("Expires=1.January.1990 00:00:00Z", false), ("Expires=01 Jan 69 00:00:00", true),
      ("Expires=30 Feb 1990 00:00:00", true), ("Expires=01 Jan 1990 24:00:00", true),
      ("Expires=01 Jan 1990 00:00", true), ("Expires=01 Jan 1600 00:00:00", true), ("Expires=", true),
      ("EXPIRES = Thu, 01 Jan 1970 00:00:00 GMT", false), ("Expires=Thu, 01 Jan 19900 00:00:00 GMT", true),
      ("Expires=01 Jan 1990 00:60:00", true), ("Expires=01 Jan 1990 00:00:60", true),
      ("Expires=01 Jan 1601 00:00:00", false), ("Expires=01 Jan 99 00:00:00", false), ("Max-Age=-", true),
      ("Max-Age=0; Max-Age=100", true),
      ("Expires=Thu, 01 Jan 1970 00:00:00 GMT; Expires=Thu, 01 Jan 2099 00:00:00 GMT", true),
    ])
  func expiry(_ attributes: String, _ isKept: Bool) async throws {
    let transport = try transport()
    await set("a=1|a=2; \(attributes)", "127.0.0.1", transport)
    let isReplaced = isKept || attributes.isEmpty
    #expect(await get("127.0.0.1", transport) == (isReplaced ? "a=2" : "none"))
  }

  @Test("an expired cookie leaves neither its age nor its protection to the next one of its name")
  func expired() async throws {
    let transport = try transport()
    await set("a=1; Max-Age=1|b=2|s=1; Secure; Max-Age=1", "localhost", transport)
    let end = ContinuousClock.now + .seconds(30)
    while await get("localhost", transport) != "b=2", .now < end { await Task.yield() }
    await set("a=3", "localhost", transport)
    #expect(await get("localhost", transport) == "b=2; a=3")
  }

  @Test(
    "a secure cookie needs a secure sender, whatever the value of its attribute",
    arguments: ["Secure", "secure", "Secure=true", "SECURE=", "Secure = 0", "Secure=a\tb"])
  func secure(_ attribute: String) async throws {
    let transport = try transport()
    await set("a=1; \(attribute)", "www.example.com", transport)
    #expect(await get("www.example.com", transport) == "none")
    // A secure cookie that had been kept would not be replaced.
    await set("a=2", "www.example.com", transport)
    #expect(await get("www.example.com", transport) == "a=2")
    await set("a=1; \(attribute)", "localhost", transport)
    #expect(await get("localhost", transport) == "a=1")
  }

  @Test("a secure sender replaces a secure cookie by one that is not secure")
  func replacedSecure() async throws {
    let transport = try transport()
    await set("a=1; Secure", "localhost", transport)
    await set("a=2", "localhost", transport)
    #expect(await get("localhost", transport) == "a=2")
  }

  @Test(
    "names with a prefix need what it promises, in any case",
    arguments: [
      ("__Secure-a=1", false), ("__secure-a=1", false), ("__SECURE-a=1; Secure", true),
      ("__HOST-a=1; Secure", false),
      ("__host-a=1; Path=/", false), ("__Host-a=1; Secure; Path=/", true),
      ("__host-a=1; Secure; Path=/x", false),
      ("__hOSt-a=1; Secure; Path=/; Domain=localhost", false), ("__Host=1", true),
    ])
  func prefixes(_ cookie: String, _ isKept: Bool) async throws {
    let transport = try transport()
    await set(cookie, "localhost", transport)
    let pair = cookie.prefix { $0 != ";" }
    #expect(await get("localhost", transport) == (isKept ? String(pair) : "none"))
  }

  @Test(
    "a sender without TLS sets no cookie that would be taken for a secure one",
    arguments: [
      ("a=2", "/", false), ("a=2; Domain=example.com", "/", false), ("a=2; Path=/login/x", "/", false),
      ("a=2; Path=/", "/", true), ("b=2; Path=/login", "/login", true),
    ])
  func overSecure(_ cookie: String, _ path: String, _ isKept: Bool) async throws {
    for domain in [".example.com\tTRUE", "www.example.com\tFALSE", ".sub.www.example.com\tTRUE"] {
      try "\(domain)\t/login\tTRUE\t0\ta\t1\n".write(toFile: jar, atomically: true, encoding: .utf8)
      let transport = try transport(.file(jar))
      await set(cookie.contains("Path") ? cookie : cookie + "; Path=/login", "www.example.com", transport)
      let seen = await get(
        "www.example.com", at: cookie.contains("/login/x") ? "/login/x" : "/login", transport)
      #expect(seen == (isKept ? String(cookie.prefix(3)) : "none"), "\(domain)")
    }
  }

  @Test(
    "a malformed field sets no cookie",
    arguments: [
      "a", "=1", ";a=1", " ; Path=/", "a\tb=1", "a=1\t2", "a=1\u{1}",
      "a=" + String(repeating: "x", count: 4_096),
      "a=1; Secure=\u{1}", "a=1; Path=/x\u{7F}", "a=1; b\u{8}",
    ])
  func malformed(_ cookie: String) async throws {
    let transport = try transport()
    await set(cookie, "127.0.0.1", transport)
    #expect(await get("127.0.0.1", transport) == "none")
  }

  @Test("a cookie of 4,096 bytes is kept")
  func largest() async throws {
    let cookie = "a=" + String(repeating: "x", count: 4_095)
    let transport = try transport()
    await set(cookie, "127.0.0.1", transport)
    // Compared outside #expect, because a mismatch would print the value.
    let isSent = await get("127.0.0.1", transport) == cookie
    #expect(isSent)
  }

  @Test("the URL of a request decides which cookies it sends, whatever its Host field says")
  func hostField() async throws {
    let transport = try transport()
    await set("a=1", "127.0.0.1", transport)
    await set("b=2", "www.example.com", transport)
    let request = TransportRequest(url: url("127.0.0.1"), headers: ["Host": "www.example.com"])
    #expect(await transport.exchange(request).body == Data("a=1".utf8))
  }

  @Test("a server at a Unix domain socket counts as secure")
  func unixSocket() async throws {
    let path = folder.file("socket").path
    let server = try LoopbackServer(on: .unix(path: path)) { request in
      .text(request.headers["Cookie"] ?? "none").header("Set-Cookie", "a=1; Secure")
    }
    let host = path.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    let transport = try transport()
    for cookies in ["none", "a=1"] {
      #expect(await transport.exchange(.init(url: "http+unix://\(host)/")).body == Data(cookies.utf8))
    }
    withExtendedLifetime(server) {}
  }

  @Test(
    "servers at two Unix domain sockets share no cookies, however similar their paths are",
    arguments: [("a:1", "a:2"), ("a@s", "b@s")])
  func twoUnixSockets(one: String, other: String) async throws {
    let transport = try transport()
    for name in [one, other] {
      let path = folder.file(name).path
      let server = try LoopbackServer(on: .unix(path: path)) { request in
        .text(request.headers["Cookie"] ?? "none").header("Set-Cookie", "a=1")
      }
      let host = path.replacingOccurrences(of: "/", with: "%2F")
      #expect(await transport.exchange(.init(url: "http+unix://\(host)/")).body == Data("none".utf8))
      withExtendedLifetime(server) {}
    }
  }

  @Test("values stay as they are", arguments: ["a=", "a= b c ", "a=\"x y\"", "a=b=c", "a=é", "a=1,2"])
  func values(_ cookie: String) async throws {
    let transport = try transport()
    await set(cookie, "127.0.0.1", transport)
    #expect(await get("127.0.0.1", transport) == cookie.replacingOccurrences(of: "= ", with: "=").trimmed)
  }

  @Test("the cookies of a redirect go to its target, and those of a challenge go with the response to it")
  func hops() async throws {
    let transport = try transport()
    let target = url("127.0.0.1", "/x")
    let response = await transport.exchange(.init(url: url("127.0.0.1", "/", ["set": "a=1", "to": target])))
    #expect(response.body == Data("a=1".utf8))

    let challenger = try LoopbackServer { request in
      request.headers["Authorization"] == nil
        ? .status(401).header("WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\"")
          .header("Set-Cookie", "session=2")
        : .text(request.headers["Cookie"] ?? "none")
    }
    var request = TransportRequest(url: challenger.origin)
    request.credential = .digest(user: "u", password: "p")
    #expect(await transport.exchange(request).body == Data("a=1; session=2".utf8))
  }

  @Test("a cookie has the attributes of continuation lines", arguments: ["", "X: 1\r\n"])
  func continuationLines(next: String) async throws {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: 1\r\n"
    let server = try LoopbackServer { _ in
      .raw("\(head)Set-Cookie: a=1;\r\n\tPath=/x; \r\n Max-Age=9000\r\n\(next)\r\n".utf8)
    }
    let transport = try transport()
    #expect(await transport.exchange(.init(url: server.origin)).error == nil)
    #expect(await get("127.0.0.1", transport) == "none")
    #expect(await get("127.0.0.1", at: "/x", transport) == "a=1")
  }

  @Test("trailers set none")
  func elsewhere() async throws {
    let server = try LoopbackServer { request in
      .text(request.headers["Cookie"] ?? "none").chunked().trailer("Set-Cookie", "a=1").trailer("X", "1")
    }
    let transport = try transport()
    for _ in 0..<2 {
      #expect(await transport.exchange(.init(url: server.origin)).body == Data("none".utf8))
    }
  }

  @Test("a file of curl is read, and written again with what has changed; a link stays a link")
  func file() async throws {
    let lines = """
      # Netscape HTTP Cookie File
      # A comment.

      #HttpOnly_.example.com\tTRUE\t/\tFALSE\t4102444800\th\t1
      www.example.com\tFALSE\t/\tFALSE\t0\ts\t2
      www.example.com\tFALSE\t/\tFALSE\t0\tempty
      www.example.com\tFALSE\t/\tFALSE\t1000\told\t1
      not a cookie
      """
    let real = folder.file("real").path
    try lines.write(toFile: real, atomically: true, encoding: .utf8)
    try FileManager.default.createSymbolicLink(atPath: jar, withDestinationPath: real)
    var transport: CurlTransport? = try transport(.file(jar))
    #expect(await transport.map { await get("www.example.com", $0) } == "h=1; s=2; empty=")
    await transport.map { await set("s=3; Domain=example.com; HttpOnly", "www.example.com", $0) }
    try await write(&transport)
    let written = try String(contentsOfFile: jar, encoding: .utf8).split(separator: "\n").dropFirst()
    #expect(
      written == [
        "#HttpOnly_.example.com\tTRUE\t/\tFALSE\t4102444800\th\t1",
        "www.example.com\tFALSE\t/\tFALSE\t0\ts\t2",
        "www.example.com\tFALSE\t/\tFALSE\t0\tempty\t", "#HttpOnly_.example.com\tTRUE\t/\tFALSE\t0\ts\t3",
      ])
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: jar) == real)
    #expect(folder.names == ["jar", "real"])
  }

  @Test(
    "no cookie lasts for more than 400 days", arguments: ["Max-Age=99999999999", "Expires=1 Jan 2199 0:0:0"])
  func longest(_ attribute: String) async throws {
    var transport: CurlTransport? = try transport(.file(jar))
    await transport.map { await set("a=1; \(attribute)", "127.0.0.1", $0) }
    try await write(&transport)
    let columns = try String(contentsOfFile: jar, encoding: .utf8).split(separator: "\t")
    let expiry = try #require(Int(columns[4]))
    #expect([399, 400].contains((expiry - time(nil)) / 86_400))
  }

  @Test("a date of expiry is read to the second, in each month")
  func dates() async throws {
    let midnight: Int = time(nil) / 86_400 * 86_400
    // 12:34:56 on every 28th day, so that no month is left out.
    let start = midnight + 45_296
    let times: [Int] = (1...13).map { start + $0 * 28 * 86_400 }
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(secondsFromGMT: 0)
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    let cookies: [String] = times.enumerated().map { index, time in
      let date = format.string(from: Date(timeIntervalSince1970: TimeInterval(time)))
      return "n\(index)=1; Expires=\(date)"
    }
    var transport: CurlTransport? = try transport(.file(jar))
    await transport.map { await set(cookies.joined(separator: "|"), "127.0.0.1", $0) }
    try await write(&transport)
    #expect(try columns(of: 4) == times.map { "\($0)" })
  }

  @Test("Max-Age counts seconds, and a secure cookie is secure in the file as well")
  func writtenAttributes() async throws {
    var transport: CurlTransport? = try transport(.file(jar))
    let start = time(nil)
    await transport.map { await set("a=1; Max-Age=1000|b=2; Secure", "localhost", $0) }
    let end = time(nil)
    try await write(&transport)
    let expiries = try columns(of: 4)
    let expiry = try #require(expiries.first.flatMap { Int($0) })
    #expect((start + 1_000...end + 1_000).contains(expiry))
    #expect(try columns(of: 3) == ["FALSE", "TRUE"])
  }

  /// Releases a transport, and waits until it has written its file: a waiting request ends only afterwards.
  private func write(_ transport: inout CurlTransport?) async throws {
    let waiting = TransferRecorder()
    let transfer = transport?.start(.init(url: "\(server.origin)/held"), handler: waiting.record)
    transport = nil
    #expect(await waiting.waitForEnd().error == .cancelled)
    withExtendedLifetime(transfer) {}
  }

  @Test(
    "a line of a file is refused if no server may set its cookie",
    arguments: [
      ("localhost\tFALSE\t/\tFALSE\t0\ta\t1\u{1}", false),
      ("localhost\tFALSE\t/\tFALSE\t0\ta\u{8}\t1", false),
      ("localhost\tFALSE\t/\tFALSE\t0\t__Secure-a\t1", false),
      ("localhost\tFALSE\t/\tTRUE\t0\t__Secure-a\t1", true),
      ("localhost\tFALSE\t/\tFALSE\t0\t__Host-a\t1", false),
      ("localhost\tFALSE\t/\tTRUE\t0\t__Host-a\t1", true),
      (".localhost\tTRUE\t/\tTRUE\t0\t__host-a\t1", false),
      ("localhost\tFALSE\t/\tFALSE\t0\ta\t1\t2", false), ("localhost\tFALSE\t/\tFALSE\t0\t\t1", false),
      ("localhost\tFALSE\t/\tFALSE\tnever\ta\t1", false),
      ("localhost\tfalse\t/\ttrue\t0\t__Host-a\t1", true),
      ("localhost\tFALSE\t/\tFALSE\t0\ta\t\(String(repeating: "x", count: 4_095))", true),
      ("localhost\tFALSE\t/\tFALSE\t0\ta\t\(String(repeating: "x", count: 4_096))", false),
    ])
  func refusedLines(_ line: String, _ isKept: Bool) async throws {
    try "\(line)\n".write(toFile: jar, atomically: true, encoding: .utf8)
    let isSent = await get("localhost", try transport(.file(jar))) != "none"
    #expect(isSent == isKept)
  }

  @Test(
    "a public suffix in a file alone gets its cookies, as if its server had set them",
    arguments: [".co.uk", "CO.UK", "co.uk."])
  func suffixInFile(_ domain: String) async throws {
    try "\(domain)\tTRUE\t/\tFALSE\t0\ta\t1\n".write(toFile: jar, atomically: true, encoding: .utf8)
    let transport = try transport(.file(jar))
    #expect(await get("b.co.uk", transport) == "none")
    #expect(await get("co.uk", transport) == "a=1")
    // Another one with the same name would be sent as well.
    await set("a=2; Domain=co.uk", "co.uk", transport)
    #expect(await get("co.uk", transport) == "a=2")
  }

  @Test("the domains of a file are compared without case, and replaced by the next cookie of the server")
  func capitals() async throws {
    let lines = [("WWW.Example.COM\tFALSE", "a"), (".Example.com.\tTRUE", "b")].map {
      "\($0.0)\t/\tFALSE\t0\t\($0.1)\t1\n"
    }
    try lines.joined().write(toFile: jar, atomically: true, encoding: .utf8)
    let transport = try transport(.file(jar))
    #expect(await get("www.example.com", transport) == "a=1; b=1")
    await set("a=2", "www.example.com", transport)
    #expect(await get("www.example.com", transport) == "a=2; b=1")
  }

  @Test("the second column of a file says whether the hosts of a domain get a cookie, whatever the dot says")
  func dots() async throws {
    let lines = ["example.com\tTRUE\t/\tFALSE\t0\ta\t1\n", ".example.com\tFALSE\t/\tFALSE\t0\tb\t1\n"]
    try lines.joined().write(toFile: jar, atomically: true, encoding: .utf8)
    let transport = try transport(.file(jar))
    #expect(await get("www.example.com", transport) == "a=1")
    #expect(await get("example.com", transport) == "a=1; b=1")
  }

  @Test("if there are too many cookies, only the domain with the most loses some")
  func shares() async throws {
    let counts = [("a.example", 2_500), ("b.example", 500), ("c.example", 1)]
    let lines: [String] = counts.flatMap { domain, count in
      (0..<count).map { "\(domain)\tFALSE\t/\tFALSE\t0\tn\($0)\t1\n" }
    }
    try lines.joined().write(toFile: jar, atomically: true, encoding: .utf8)
    var transport: CurlTransport? = try transport(.file(jar))
    try await write(&transport)
    let domains = try columns(of: 0)
    let kept: [Int] = counts.map { domain, _ in domains.count { $0 == domain } }
    #expect(kept == [2_199, 500, 1])
  }

  @Test("a domain with too many cookies keeps its secure ones, and of the others those that were used last")
  func crowded() async throws {
    let start = "www.example.com\tFALSE\t/"
    let others = (0..<2_998).map { "\(start)n\tFALSE\t0\tn\($0)\t1\n" }
    let lines = ["\(start)\tTRUE\t0\tsecure\t1\n", "\(start)u\tFALSE\t0\tused\t1\n"] + others
    try lines.joined().write(toFile: jar, atomically: true, encoding: .utf8)
    var transport: CurlTransport? = try transport(.file(jar))
    #expect(await transport.map { await get("www.example.com", at: "/u", $0) } == "used=1")
    await transport.map { await set("n0=2; Path=/n|new=1", "www.example.com", $0) }
    try await write(&transport)
    // Compared outside #expect, because a mismatch would print all names.
    let names = try columns(of: 5)
    let newest: [String] = (302..<2_998).map { "n\($0)" }
    let areRight = names == ["secure", "used", "n0"] + newest + ["new"]
    #expect(areRight)
    #expect(names.count == 2_700)
  }

  @Test("if there are more domains than cookies to keep, the cookies that were used last are kept")
  func manyDomains() async throws {
    let others: [String] = (1..<3_000).map { "d\($0).example" }
    let lines = (["www.example.com"] + others).map { "\($0)\tFALSE\t/\tFALSE\t0\ta\t1\n" }
    try lines.joined().write(toFile: jar, atomically: true, encoding: .utf8)
    var transport: CurlTransport? = try transport(.file(jar))
    #expect(await transport.map { await get("www.example.com", $0) } == "a=1")
    await transport.map { await set("new=1", "ample.com", $0) }
    try await write(&transport)
    let kept = try columns(of: 0)
    let areRight = kept == ["www.example.com"] + Array(others.suffix(2_698)) + ["ample.com"]
    #expect(areRight)
    #expect(kept.count == 2_700)
  }

  /// Returns a column of the file's lines, by its number.
  private func columns(of number: Int) throws -> [String] {
    try String(contentsOfFile: jar, encoding: .utf8).split(separator: "\n")
      .map { $0.split(separator: "\t").map { String($0) } }
      .filter { $0.count == 7 }.map { $0[number] }
  }

  @Test("the lines of a file may end with a carriage return")
  func carriageReturns() async throws {
    let lines = ["a", "b"].map { "www.example.com\tFALSE\t/\tFALSE\t0\t\($0)\t1\r\n" }
    try lines.joined().write(toFile: jar, atomically: true, encoding: .utf8)
    #expect(await get("www.example.com", try transport(.file(jar))) == "a=1; b=1")
  }

  @Test("a transport that cannot be created leaves its file as it is")
  func invalid() throws {
    let lines = "# A comment\nnot a cookie\n"
    try lines.write(toFile: jar, atomically: true, encoding: .utf8)
    var configuration = CurlConfiguration()
    configuration.cookies = .file(jar)
    configuration.timeouts.connect = .seconds(-1)
    #expect(throws: CurlConfigurationError.self) { try CurlTransport(configuration: configuration) }
    #expect(try String(contentsOfFile: jar, encoding: .utf8) == lines)
  }

  @Test("a file that cannot be read is an error, and stays as it is")
  func unreadable() throws {
    mkfifo(jar, 0o600)
    #expect(throws: CurlConfigurationError.unreadableFile(path: jar)) { try transport(.file(jar)) }
    var facts = stat()
    #expect(lstat(jar, &facts) == 0 && facts.st_mode & S_IFMT == S_IFIFO)
  }
}

extension String {
  fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces) }
}

extension Optional {
  fileprivate func map<Result>(_ body: (Wrapped) async -> Result) async -> Result? {
    switch self {
    case .some(let value): await body(value)
    case .none: nil
    }
  }
}
