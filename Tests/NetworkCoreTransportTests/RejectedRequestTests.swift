import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Requests that are rejected before anything is sent", .timeLimit(.minutes(5)))
struct RejectedRequestTests {
  @Test(
    "a field that could forge another one is rejected", arguments: TransportKind.allCases,
    [
      ("X", "a\r\nB: c"), ("X", "a\nB: c"), ("X", "a\rb"), ("X", "a\0b"), ("X", "a\u{7F}"), ("X\r\nY", "a"),
      ("X: Y", "a"), ("", "a"), ("X Y", "a"), ("Ä", "a"), ("X\0", "a"), ("Transfer-Encoding", "chunked"),
      ("content-length", "7"), ("Content-Length", "0\r\n"),
    ])
  func field(kind: TransportKind, field: (name: String, value: String)) async throws {
    let server = try LoopbackServer { _ in .status(200) }
    let events = await (try kind.make()).exchange(
      .init(url: server.origin, headers: [HTTPHeader(name: field.name, value: field.value)]))
    #expect(events.error == .invalidField(name: field.name, value: field.value))
    #expect(server.log.connectionsAccepted == 0)
  }

  @Test("a Content-Length that no file can have is rejected", arguments: TransportKind.allCases)
  func endlessLength(kind: TransportKind) async throws {
    let length = "99999999999999999999"
    let events = await (try kind.make()).exchange(
      .init(
        method: .post, url: "http://127.0.0.1:1/", headers: ["Content-Length": length],
        body: .file(URL(fileURLWithPath: "/nowhere/x"))))
    #expect(events.error == .invalidField(name: "Content-Length", value: length))
  }

  @Test(
    "a Content-Length that is not a number of digits is rejected for a file",
    arguments: ["+5", "-5", " 5", "0x5", ""])
  func lengthOfFile(length: String) {
    let request = TransportRequest(
      method: .post, url: "http://h/", headers: ["Content-Length": length],
      body: .file(URL(fileURLWithPath: "/nowhere/x")))
    #expect(throws: TransferError.invalidField(name: "Content-Length", value: length)) {
      try request.validated()
    }
  }

  @Test("each character of a token may be part of a method and of a field's name")
  func token() throws {
    let token = "!#$%&'*+-.^_`|~09azAZ"
    let request = TransportRequest(
      method: HTTPMethod(rawValue: token), url: "http://h/", headers: [HTTPHeader(name: token, value: "a")])
    #expect(try request.validated() == request)
  }

  @Test(
    "a method that is not a token, or CONNECT, is rejected", arguments: TransportKind.allCases,
    ["", "GET /x", "GET\r\nX: y", "GÉT", "A\tB", "CONNECT"])
  func method(kind: TransportKind, name: String) async throws {
    let server = try LoopbackServer { _ in .status(200) }
    let events = await (try kind.make()).exchange(.init(method: .init(rawValue: name), url: server.origin))
    #expect(events.error == .invalidField(name: "method", value: name))
    #expect(server.log.connectionsAccepted == 0)
  }

  @Test(
    "a URL that is not http or https is rejected", arguments: TransportKind.allCases,
    [
      "", "/", "zen", "file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/", "HTTPX://127.0.0.1/",
      "http:",
      "http:///path", "http://?q", "http://127.0.0.1/a b", "http://127.0.0.1/\r\nX: y",
      "http://127.0.0.1\\@evil/",
      "http://127.0.0.1/\u{0}", "http://127.0.0.1:99999/",
    ])
  func url(kind: TransportKind, url: String) async throws {
    let events = await (try kind.make()).exchange(.init(url: url))
    #expect(events.error == .unsupportedURL(url))
  }

  @Test("a HEAD request does not announce a body, which is not sent", arguments: TransportKind.allCases)
  func head(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .status(200) }
    let events = await (try kind.make()).exchange(
      .init(
        method: .head, url: server.origin, headers: ["Content-Length": "3"], body: .data(Data("abc".utf8))))
    #expect(events.error == nil)
    #expect(server.log.requests.map(\.bodyLength) == [0])
    #expect(server.log.requests.first?.headers["Content-Length"] != "3")
  }

  @Test("a Content-Length that matches the body is not sent twice", arguments: TransportKind.allCases)
  func agreeingLength(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .status(200) }
    let events = await (try kind.make()).exchange(
      .init(
        method: .post, url: server.origin, headers: ["content-length": "3"], body: .data(Data("abc".utf8))))
    #expect(events.error == nil)
    #expect(server.log.requests.map(\.body) == [Data("abc".utf8)])
    #expect(server.log.requests.first?.headers["Content-Length"] == "3")
  }
}
