import Foundation
import LoopbackServer
import Testing

@Suite("Replies", .timeLimit(.minutes(5)))
struct ReplyTests {
  struct User: Codable, Equatable {
    var login: String
  }

  struct ThrowingEncodable: Encodable {
    func encode(to encoder: any Encoder) throws {
      throw EncodingError.invalidValue(0, .init(codingPath: [], debugDescription: "will not"))
    }
  }

  @Test(
    "each kind of response has its status, its type and its body",
    arguments: [
      (LoopbackServer.Reply.status(418), 418, nil, ""),
      (.text("é"), 200, "text/plain; charset=utf-8", "é"),
      (.text("no", status: 403), 403, "text/plain; charset=utf-8", "no"),
      (.json("[1]"), 200, "application/json", "[1]"),
      (.json(encoding: User(login: "ash"), status: 201), 201, "application/json", #"{"login":"ash"}"#),
      (.bytes([0x41, 0x42]), 200, "application/octet-stream", "AB"),
      (.bytes(Data("x".utf8), type: "image/png", status: 206), 206, "image/png", "x"),
      (.repeating(0x7A, count: 3), 200, "application/octet-stream", "zzz"),
      (.repeating(0x7A, count: -1), 200, "application/octet-stream", ""),
    ])
  func kinds(reply: LoopbackServer.Reply, status: Int, type: String?, body: String) throws {
    let server = try LoopbackServer { _ in reply }
    let response = try RawClient(server).response("GET", "/")
    #expect(response.status == status)
    #expect(response.fields["content-type"] == type)
    #expect(response.fields["content-length"] == String(body.utf8.count))
    #expect(response.text == body)
    #expect(server.log.answered == 1)
  }

  @Test("a value that cannot be encoded yields a 500 that states the error")
  func unencodable() throws {
    let server = try LoopbackServer { _ in .json(encoding: ThrowingEncodable()) }
    let response = try RawClient(server).response("GET", "/")
    #expect(response.status == 500)
    #expect(response.text.contains("ThrowingEncodable") && response.text.contains("will not"))
  }

  @Test("a redirect has the given status and location")
  func redirect() throws {
    let server = try LoopbackServer { _ in .redirect(to: "/there", status: 307) }
    let response = try RawClient(server).response("GET", "/")
    #expect(response.status == 307)
    #expect(response.fields["location"] == "/there")
  }

  @Test("a response to HEAD has the length of the body and no body")
  func head() throws {
    let server = try LoopbackServer { _ in .text("twelve bytes") }
    let peer = try RawClient(server)
    #expect(try peer.response("HEAD", "/").fields["content-length"] == "12")
    // A body in the response to HEAD would be read here in place of this response.
    #expect(try peer.response("GET", "/").text == "twelve bytes")
  }

  @Test("a response to HEAD with a given length leaves the connection open")
  func headWithLength() throws {
    let server = try LoopbackServer { _ in .text("abc").contentLength(10) }
    let peer = try RawClient(server)
    for _ in 0..<2 { #expect(try peer.response("HEAD", "/").fields["content-length"] == "10") }
    #expect(server.log.connectionsAccepted == 1)
  }

  @Test("a chunked response to HEAD has no chunks", arguments: [LoopbackServer.Reply.text("abc").chunked()])
  func chunkedHead(reply: LoopbackServer.Reply) throws {
    let server = try LoopbackServer { _ in reply }
    let peer = try RawClient(server)
    #expect(try peer.response("HEAD", "/").fields["transfer-encoding"] == "chunked")
    #expect(try peer.response("GET", "/").text == "abc")
  }

  @Test("a status that allows no body is sent without body and length", arguments: [204, 304])
  func bodiless(status: Int) throws {
    let server = try LoopbackServer { request in
      request.path == "/none" ? .text("not sent", status: status) : .text("next")
    }
    let peer = try RawClient(server)
    let response = try peer.response("GET", "/none")
    #expect(response.status == status)
    #expect(response.fields["content-length"] == nil)
    #expect(try peer.response("GET", "/").text == "next")
  }

  @Test("header fields are sent in the order given, also twice with the same name")
  func fields() throws {
    let server = try LoopbackServer { _ in
      .status(200).header("Set-Cookie", "a=1").header("Set-Cookie", "b=2").closingConnection()
    }
    let peer = try RawClient(server)
    try peer.sendRequest("GET", "/")
    #expect(
      try peer.readToEnd()
        == "HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    )
  }

  @Test("a framing field in the reply replaces the server's own")
  func ownFraming() throws {
    let server = try LoopbackServer { _ in
      .bytes("3\r\nabc\r\n0\r\n\r\n".utf8).header("transfer-encoding", "chunked")
    }
    let response = try RawClient(server).response("GET", "/")
    #expect(response.text == "abc")
    #expect(response.fields["content-length"] == nil)
  }

  @Test("chunks have the given size, and trailers follow the last one")
  func chunked() throws {
    let server = try LoopbackServer { _ in
      .text("abcdefgh").chunked(size: 3).trailer("Checksum", "ok")
    }
    let peer = try RawClient(server)
    try peer.sendRequest("GET", "/")
    let head = try peer.readHead()
    #expect(head.fields["transfer-encoding"] == "chunked")
    #expect(head.fields["content-length"] == nil)
    #expect(
      try (0..<4).map { _ in String(decoding: try peer.readChunk(), as: UTF8.self) } == [
        "abc", "def", "gh", "",
      ])
    #expect(try peer.readFields() == ["checksum": "ok"])
    #expect(try peer.response("GET", "/").text == "abcdefgh")
  }

  @Test("an empty chunked body consists of the last chunk only")
  func emptyChunked() throws {
    let server = try LoopbackServer { _ in .text("").chunked() }
    let peer = try RawClient(server)
    #expect(try peer.response("GET", "/").body.isEmpty)
    #expect(try peer.response("GET", "/").status == 200)
  }

  @Test("a body without a length ends with the connection")
  func endedByClosing() throws {
    let server = try LoopbackServer { _ in .text("all of it").endedByClosing() }
    let peer = try RawClient(server)
    let response = try peer.response("GET", "/")
    #expect(response.fields["content-length"] == nil)
    #expect(response.fields["connection"] == "close")
    #expect(response.text == "all of it")
    #expect(server.log.answered == 1)
    #expect(server.log.brokenOff == 0)
  }

  @Test("informational responses precede the final one")
  func informational() throws {
    let server = try LoopbackServer { _ in
      .text("final").preceded(by: 102).preceded(by: 103, headers: [("Link", "</a>")])
    }
    let peer = try RawClient(server)
    try peer.sendRequest("GET", "/")
    #expect(try peer.readResponse().status == 102)
    let hints = try peer.readResponse()
    #expect(hints.status == 103)
    #expect(hints.fields == ["link": "</a>"])
    #expect(try peer.readResponse().text == "final")
  }

  @Test("a large body arrives complete, chunked or not", arguments: [false, true])
  func large(isChunked: Bool) throws {
    let body = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    let server = try LoopbackServer { _ in isChunked ? .bytes(body).chunked(size: 70_001) : .bytes(body) }
    let peer = try RawClient(server)
    #expect(try peer.response("GET", "/").body == body)
    #expect(try peer.response("GET", "/").body == body)
  }
}
