import LoopbackServer
import Testing

/// Cases from the text of RFC 9112; `MalformedRequestTests` has more that are malformed.
@Suite("The syntax of messages", .timeLimit(.minutes(5)))
struct MessageSyntaxTests {
  private static let chunked = "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"

  @Test(
    "a valid message is read, and so is the next one",
    arguments: [
      // Section 2.2, 2.3 and 3
      ("\r\n\r\nGET /a HTTP/1.1\r\nHost: a\r\n\r\n", "GET /a "),
      ("GET /a HTTP/1.2\r\nHost: a\r\n\r\n", "GET /a "), ("GET /a HTTP/1.9\r\nHost: a\r\n\r\n", "GET /a "),
      ("GET http://b/a?c HTTP/1.1\r\nHost: a\r\n\r\n", "GET http://b/a?c "),
      ("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "OPTIONS * "),
      ("!#$ / HTTP/1.1\r\nHost: a\r\n\r\n", "!#$ / "),
      // Section 3.2 and 5
      ("GET /a HTTP/1.1\r\nHost:\r\n\r\n", "GET /a "), ("GET /a HTTP/1.1\r\nhOST:\t a \t\r\n\r\n", "GET /a "),
      ("GET /a HTTP/1.1\r\nHost: a\r\n!#$%&'*+-.^_`|~: :b:\r\n\r\n", "GET /a "),
      // Section 6
      ("GET /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", "GET /a abc"),
      ("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 003\r\n\r\nabc", "POST /a abc"),
      ("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc", "POST /a abc"),
      ("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", "POST /a "),
      // Section 7.1
      (chunked + "\r\n3\r\nabc\r\n0\r\n\r\n", "POST /a abc"), (chunked + "\r\n0\r\n\r\n", "POST /a "),
      (chunked + "\r\n0000\r\n\r\n", "POST /a "), (chunked + "\r\n003\r\nabc\r\n0\r\n\r\n", "POST /a abc"),
      (chunked + "\r\nA\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n", "POST /a 01234567890123456789"),
      (chunked + "\r\n4\r\n\r\n\r\n\r\n0\r\n\r\n", "POST /a \r\n\r\n"),
      (chunked + "\r\n3;b\r\nabc\r\n0;c\r\n\r\n", "POST /a abc"),
      (chunked + "\r\n3;b=c;d=\"e\"\r\nabc\r\n0\r\n\r\n", "POST /a abc"),
      (chunked + "\r\n3 ; b = c\r\nabc\r\n0\r\n\r\n", "POST /a abc"),
      (chunked + "\r\n3\r\nabc\r\n0\r\nA: b\r\nB:\r\n\r\n", "POST /a abc"),
      // A trailer that would frame the body, or the next message, does nothing.
      (
        chunked + "\r\n3\r\nabc\r\n0\r\nContent-Length: 9\r\nTransfer-Encoding: b\r\nHost: c\r\n\r\n",
        "POST /a abc"
      ),
    ])
  func valid(message: String, expected: String) throws {
    let server = try LoopbackServer { .text("\($0.method) \($0.target) \($0.text)") }
    let peer = try RawClient(server)
    try peer.write(message + "GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try peer.readResponse().text == expected)
    #expect(try peer.readResponse().text == "GET /next ")
  }

  @Test(
    "a malformed message is refused, and what follows it is not read as a message",
    arguments: [
      // Section 2.3 and 3
      ("GET /\tHTTP/1.1\r\n", 400), ("GET\t/ HTTP/1.1\r\n", 400), ("GET /a b HTTP/1.1\r\n", 400),
      ("GET / HTTP/1.1 \r\n", 400), ("GET / http/1.1\r\n", 400), ("GET / HTTP/1\r\n", 400),
      ("GET / HTTP/1.\r\n", 400), ("GET / HTTP/1.10\r\n", 400), ("GET / HTTP/01.1\r\n", 400),
      ("GET / HTTP/1,1\r\n", 400), ("GET / HTTP1.1\r\n", 400), ("GET / HTTP/a.b\r\n", 400),
      ("GET / HTTP/0.9\r\n", 505), ("GET / HTTP/3.0\r\n", 505), (" HTTP/1.1\r\n", 400),
      ("GET(/ HTTP/1.1\r\n", 400), ("GET /\r HTTP/1.1\r\n", 400),
      // Section 2.2 and 5
      ("GET / HTTP/1.1\r\n Host: a\r\n", 400), ("GET / HTTP/1.1\r\n\tHost: a\r\n", 400),
      ("GET / HTTP/1.1\r\nHost : a\r\n", 400), ("GET / HTTP/1.1\r\nHost\t: a\r\n", 400),
      ("GET / HTTP/1.1\r\nA B: c\r\n", 400), ("GET / HTTP/1.1\r\nA(: c\r\n", 400),
      ("GET / HTTP/1.1\r\nÄ: c\r\n", 400), ("GET / HTTP/1.1\r\nA: b\r\n\tc\r\n", 400),
      ("GET / HTTP/1.1\r\nA: b\r\n \r\n", 400), ("GET / HTTP/1.1\r\nA: b\r\r\n", 400),
      // Section 6.1 and 6.3
      ("POST / HTTP/1.1\r\nContent-Length: +3\r\n", 400), ("POST / HTTP/1.1\r\nContent-Length: 0x3\r\n", 400),
      ("POST / HTTP/1.1\r\nContent-Length: 3 3\r\n", 400),
      ("POST / HTTP/1.1\r\nContent-Length: 3,4\r\n", 400),
      ("POST / HTTP/1.1\r\nContent-Length: -0\r\n", 400), ("POST / HTTP/1.1\r\nContent-Length: 3.0\r\n", 400),
      ("POST / HTTP/1.1\r\nContent-Length: \u{663}\r\n", 400),
      ("POST / HTTP/1.1\r\nContent-Length: \"3\"\r\n", 400),
      ("POST / HTTP/1.1\r\nTransfer-Encoding: \u{B}chunked\r\n", 400),
      ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked, gzip\r\n", 501),
      ("POST / HTTP/1.1\r\nTransfer-Encoding: identity\r\n", 501),
      ("POST / HTTP/1.1\r\nTransfer-Encoding: xchunked\r\n", 501),
      ("POST / HTTP/1.1\r\nTransfer-Encoding: \"chunked\"\r\n", 501),
      ("POST / HTTP/1.1\r\nTransfer-Encoding:\r\n", 501),
      ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
      // Section 7.1
      (chunked + "\r\n0x3\r\n", 400), (chunked + "\r\n3g\r\n", 400), (chunked + "\r\n-3\r\n", 400),
      (chunked + "\r\n+3\r\n", 400), (chunked + "\r\n3 3\r\n", 400), (chunked + "\r\n;a=b\r\n", 400),
      (chunked + "\r\n3\r\nabc0\r\n\r\n", 400), (chunked + "\r\n3\r\nabcd\r\n", 400),
      (chunked + "\r\n0\r\nno field\r\n", 400), (chunked + "\r\n0\r\nA : b\r\n", 400),
      (chunked + "\r\n0\r\nA: b\r\n c\r\n", 400), (chunked + "\r\n0\r\n: b\r\n", 400),
    ])
  func malformed(message: String, status: Int) throws {
    let server = try LoopbackServer { _ in .status(200) }
    let peer = try RawClient(server)
    // A missing host would be an error as well.
    let host = message.contains("\r\nHost: a\r\n") ? "" : "Host: a\r\n"
    try peer.write(message + host + "\r\nGET /next HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try peer.readResponse().status == status)
    #expect(try peer.readToEnd() == "")
    #expect(server.log.requestCount == 0)
  }
}
