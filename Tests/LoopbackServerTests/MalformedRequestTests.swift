import LoopbackServer
import Testing

@Suite("Malformed requests", .timeLimit(.minutes(5)))
struct MalformedRequestTests {
  @Test(
    "a malformed request gets the matching status, and the connection is closed",
    arguments: [
      ("garbage\r\n", 400), ("GET /\r\n", 400), ("GET  / HTTP/1.1\r\n", 400), (" GET / HTTP/1.1\r\n", 400),
      ("G@T / HTTP/1.1\r\n", 400), ("GET /é HTTP/1.1\r\n", 400), ("GET /\0 HTTP/1.1\r\n", 400),
      ("GET / HTTP/1.1 x\r\n", 400), ("GET / HTTQ/1.1\r\n", 400), ("GET / HTTP/2.0\r\n", 505),
      ("GET / HTTP/1.1\r\nNoColon\r\n", 400), ("GET / HTTP/1.1\r\n: v\r\n", 400),
      ("GET / HTTP/1.1\r\nA : v\r\n", 400), ("GET / HTTP/1.1\r\nA: v\r\n folded\r\n", 400),
      ("GET / HTTP/1.1\r\nA: v\rB\r\n", 400), ("GET / HTTP/1.1\r\nA: \0\r\n", 400),
      ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nContent-Length: -1\r\n", 400), ("GET / HTTP/1.1\r\nContent-Length: 1x\r\n", 400),
      ("GET / HTTP/1.1\r\nContent-Length:\r\n", 400),
      ("GET / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n", 400),
      ("GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n", 501),
      ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", 400),
      ("POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 101\r\n\r\n", 413),
      ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n", 413),
      ("GET /\(String(repeating: "x", count: 2_000)) HTTP/1.1\r\n", 414),
      (String(repeating: "x", count: 2_000), 414),
      ("GET / HTTP/1.1\r\nA: \(String(repeating: "x", count: 2_000))\r\n", 431),
      ("GET / HTTP/1.1\r\n\(String(repeating: "A: b\r\n", count: 400))", 431),
      (chunks + "32\r\n\(body.prefix(50))\r\n33\r\n\(body.prefix(51))\r\n0\r\n\r\n", 413),
      (chunks + "0\r\n\(String(repeating: "A: b\r\n", count: 400))\r\n", 431),
      (chunks + "1;\(String(repeating: "x", count: 5_000))\r\nx\r\n0\r\n\r\n", 400),
    ])
  func rejected(input: String, status: Int) throws {
    var options = LoopbackServer.Options()
    options.headLimit = 1_000
    options.bodyLimit = 100
    let server = try LoopbackServer(options: options) { _ in .status(200) }
    let peer = try RawClient(server)
    try peer.write(input)
    let response = try peer.readResponse()
    #expect(response.status == status)
    #expect(response.fields["connection"] == "close")
    #expect(try peer.readToEnd() == "")
    #expect(server.log.rejected == 1)
    #expect(server.log.requestCount == 0)
  }

  @Test(
    "a body of the largest allowed size is accepted",
    arguments: [
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n\(body)",
      chunks + "64\r\n\(body)\r\n0\r\n\r\n",
      chunks + "32\r\n\(body.prefix(50))\r\n32\r\n\(body.suffix(50))\r\n0\r\n\r\n",
    ])
  func largestBody(input: String) throws {
    var options = LoopbackServer.Options()
    options.bodyLimit = 100
    let server = try LoopbackServer(options: options) { .text($0.text) }
    let peer = try RawClient(server)
    try peer.write(input)
    #expect(try peer.readResponse().text == Self.body)
  }

  @Test("a head of the largest size is accepted, and one byte more is not", arguments: [(0, 200), (1, 431)])
  func largestHead(surplus: Int, status: Int) throws {
    let head = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    var options = LoopbackServer.Options()
    options.headLimit = head.utf8.count - surplus
    let server = try LoopbackServer(options: options) { _ in .status(200) }
    let peer = try RawClient(server)
    try peer.write(head)
    #expect(try peer.readResponse().status == status)
  }

  private static let chunks = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
  private static let body = String(repeating: "x", count: 100)

  @Test("a request before the malformed one gets its response first")
  func respondsFirst() throws {
    let server = try LoopbackServer { _ in .text("fine") }
    let peer = try RawClient(server)
    try peer.write("GET / HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n")
    #expect(try peer.readResponse().text == "fine")
    #expect(try peer.readResponse().status == 400)
  }

  @Test("a peer that keeps sending still receives the rejection")
  func rejectionIsNotLost() throws {
    var options = LoopbackServer.Options()
    options.bodyLimit = 10
    let server = try LoopbackServer(options: options)
    let peer = try RawClient(server)
    // More than the system buffers, so that the peer is still writing when it is rejected.
    let body = String(repeating: "x", count: 20_000_000)
    try peer.sendRequest("PUT", "/", body: body)
    #expect(try peer.readResponse().status == 413)
    // The bytes after the rejection are counted too.
    peer.disconnect()
    let log = try server.waitUntil { $0.openConnections == 0 }
    #expect(log.bytesReceived > body.utf8.count)
  }
}
