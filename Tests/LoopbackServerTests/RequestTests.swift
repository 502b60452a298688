import Foundation
import LoopbackServer
import Testing

@Suite("Requests as handlers receive them", .timeLimit(.minutes(5)))
struct RequestTests {
  /// Sends bytes to a server and returns the one request that it logged.
  private func request(
    options: LoopbackServer.Options = .init(), pieces: [String]
  ) throws -> LoopbackServer.Request? {
    let server = try LoopbackServer(options: options) { _ in .status(200) }
    let peer = try RawClient(server)
    for piece in pieces { try peer.write(piece) }
    #expect(try peer.readResponse().status == 200)
    #expect(server.log.requestCount == 1)
    #expect(server.log.bytesReceived == pieces.reduce(0) { $0 + $1.utf8.count })
    return server.log.requests.first
  }

  private func get(_ target: String) throws -> LoopbackServer.Request? {
    try request(pieces: ["GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n"])
  }

  @Test("method and target are kept as sent")
  func target() throws {
    let request = try request(pieces: ["pAtCh /a%20b?c=d%26 HTTP/1.1\r\nHost: a\r\n\r\n"])
    #expect(request?.method == "pAtCh")
    #expect(request?.target == "/a%20b?c=d%26")
  }

  @Test(
    "the path is decoded and ends before the query",
    arguments: [
      ("/a%20b/%C3%A9?x=%41", "/a b/é"), ("/100%", "/100%"), ("/%zz%4", "/%zz%4"), ("/a+b", "/a+b"),
      ("/?/x", "/"),
      ("http://host:80/p?q", "/p"), ("http://host", "/"), ("http://host?q=/x", ""), ("*", "*"),
    ])
  func path(target: String, path: String) throws {
    #expect(try get(target)?.path == path)
  }

  @Test("the pairs of the query are decoded in order, also twice with the same name")
  func query() throws {
    let request = try get("/?a=1&b=x%20y+z&a=%26=&flag&=v")
    #expect(request?.rawQuery == "a=1&b=x%20y+z&a=%26=&flag&=v")
    let pairs = try #require(request?.query)
    #expect(pairs.map(\.name) == ["a", "b", "a", "flag", ""])
    #expect(pairs.map(\.value) == ["1", "x y z", "&=", "", "v"])
    #expect(request?.query("a") == "1")
    #expect(request?.query("none") == nil)
  }

  @Test("a target without a query has none")
  func noQuery() throws {
    let request = try get("/a")
    #expect(request?.rawQuery == nil)
    #expect(request?.query.isEmpty == true)
  }

  @Test("header fields are found case-insensitively, and kept as sent")
  func headers() throws {
    let request = try request(pieces: [
      "GET / HTTP/1.1\r\nHost: a\r\nX-One:  first \r\nx-one:second\r\nEmpty:\r\nUTF: é\r\n"
        + "cookie: a=1\r\nCookie: b=2\r\n\r\n"
    ])
    let headers = try #require(request?.headers)
    #expect(headers["X-ONE"] == "first, second")
    #expect(headers.values(of: "x-One") == ["first", "second"])
    #expect(headers["empty"] == "")
    #expect(headers["utf"] == "é")
    #expect(headers["none"] == nil)
    #expect(headers["COOKIE"] == "a=1; b=2")
    #expect(headers.map(\.name) == ["Host", "X-One", "x-one", "Empty", "UTF", "cookie", "Cookie"])
  }

  @Test("a body of known length is complete, and a form is decoded")
  func body() throws {
    let request = try request(pieces: [
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\n\r\na=1&b=%20+%26"
    ])
    #expect(request?.body == Data("a=1&b=%20+%2".utf8))
    #expect(request?.text == "a=1&b=%20+%2")
    #expect(request?.bodyLength == 12)
    #expect(request?.form.map(\.name) == ["a", "b"])
    #expect(request?.form.map(\.value) == ["1", "  %2"])
  }

  @Test("a chunked body is complete, without chunk sizes, extensions and trailers")
  func chunkedBody() throws {
    let request = try request(pieces: [
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n",
      "3;x=\"y\"\r\nabc\r\nA \r\n0123456789\r\n0\r\nTrailer: t\r\n\r\n",
    ])
    #expect(request?.text == "abc0123456789")
    #expect(request?.bodyLength == 13)
  }

  @Test("a request that arrives byte by byte is parsed like any other")
  func byteByByte() throws {
    let whole = "\r\nPOST /x?y HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
    let pieces = whole.unicodeScalars.map { String($0) }
    #expect(try request(pieces: pieces) == request(pieces: [whole]))
  }

  @Test("lines that end in LF alone are accepted")
  func bareLineFeeds() throws {
    #expect(try request(pieces: ["GET /x HTTP/1.1\nHost: a\n\n"])?.path == "/x")
  }

  @Test("the bytes of a body beyond the kept ones are counted")
  func keptBytes() throws {
    var options = LoopbackServer.Options()
    options.keptBodyBytes = 4
    let body = String(repeating: "abcd", count: 50_000)
    let request = try request(
      options: options, pieces: ["PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n", body])
    #expect(request?.text == "abcd")
    #expect(request?.bodyLength == 200_000)
  }

  @Test("a body announced with Expect is requested with 100 (Continue)", arguments: [true, false])
  func expectContinue(isChunked: Bool) throws {
    let server = try LoopbackServer { .text("got \($0.text)") }
    let peer = try RawClient(server)
    let framing = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: 3"
    try peer.write("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\n\(framing)\r\n\r\n")
    #expect(try peer.readHead() == .init(status: 100, fields: [:], body: []))
    try peer.write(isChunked ? "3\r\nabc\r\n0\r\n\r\n" : "abc")
    #expect(try peer.readResponse().text == "got abc")
  }

  @Test("no 100 (Continue) is sent if the body arrives with the head")
  func needlessExpectation() throws {
    let fields = "Host: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n"
    #expect(try request(pieces: ["PUT / HTTP/1.1\r\n\(fields)\r\nabc"])?.text == "abc")
  }

  @Test("no 100 (Continue) is sent to a client of HTTP/1.0")
  func expectationOfHTTP10() throws {
    let server = try LoopbackServer { .text($0.text) }
    let peer = try RawClient(server)
    let head = "PUT / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
    try peer.write(head)
    try server.waitUntil { $0.bytesReceived == head.utf8.count }
    try peer.write("abc")
    let response = try peer.readResponse()
    #expect(response.status == 200)
    #expect(response.text == "abc")
  }

  @Test("a server can ignore Expect")
  func ignoredExpectation() throws {
    var options = LoopbackServer.Options()
    options.answersExpectContinue = false
    let server = try LoopbackServer(options: options) { .text($0.text) }
    let peer = try RawClient(server)
    try peer.write("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
    try server.waitUntil { $0.bytesReceived > 60 }
    try peer.write("abc")
    #expect(try peer.readResponse().text == "abc")
  }
}
