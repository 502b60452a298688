import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("HTTPHeaders")
struct HTTPHeadersTests {
  @Test("match the shared test vectors", arguments: TestVector.rows(of: "headers"))
  func row(_ vector: TestVector) throws {
    let input = vector.input
    if let names = input.headers.array?.compactMap(\.string) {
      var headers = HTTPHeaders(names.map { HTTPHeader(name: $0, value: "") })
      if let set = input.set.array?.compactMap(\.string) { headers.update(name: set[0], value: set[1]) }
      if let count = vector.expected.count.int { #expect(headers.count == count) }
      if let expected = vector.expected.array?.compactMap(\.string) {
        #expect(headers.map(\.name) == expected)
      }
    } else if let list = input.list.array?.compactMap(\.string) {
      #expect(list.qualityEncoded() == vector.expected.string)
    } else {
      let header = HTTPHeader.authorization(
        username: try #require(input.user.string), password: try #require(input.password.string))
      #expect(header == HTTPHeader(name: "Authorization", value: try #require(vector.expected.string)))
    }
  }

  @Test("a name is found in any spelling, and only as a whole")
  func lookup() {
    var headers: HTTPHeaders = ["Accept": "a", "X-[": "b"]
    #expect(headers["aCCEPT"] == "a")
    #expect(headers.value(for: "Accep") == nil)
    #expect(headers["x-{"] == nil)
    headers["ACCEPT"] = nil
    #expect(headers.map(\.name) == ["X-["])
    headers.remove(name: "x-[")
    #expect(headers.isEmpty)
  }

  @Test("an update leaves one field of a name that was received several times")
  func updateReceived() {
    let head = ResponseHead(statusCode: 200, url: "http://h", headers: ["A": "0"])
    var headers = head.headers
    headers.add(name: "B", value: "1")
    headers.add(HTTPHeader(name: "a", value: "2"))
    #expect(headers.map(\.description) == ["a: 2", "B: 1"])
    #expect(headers.description == "a: 2\nB: 1")
  }

  @Test("an update leaves one field of a name that a server sent several times")
  func updateSeveral() async throws {
    let server = try LoopbackServer { _ in
      .status(200).header("A", "0").header("B", "1").header("a", "2").header("A", "3")
    }
    let events = await (try TransportKind.curl.make()).exchange(.init(url: server.origin))
    var headers = try #require(events.head).headers
    headers.update(name: "a", value: "9")
    #expect(
      headers.filter { ["a", "b"].contains($0.name.lowercased()) }.map(\.description) == ["a: 9", "B: 1"])
  }

  @Test("a name that was received several times is removed as a whole, and is one entry of the dictionary")
  func received() {
    let received = HTTPHeaders(
      received: [("X-A", "1"), ("B", "2"), ("x-a", "3")].map { HTTPHeader(name: $0.0, value: $0.1) })
    #expect(received.dictionary == ["X-A": "1, 3", "B": "2"])
    var (removed, unset) = (received, received)
    removed.remove(name: "X-A")
    unset["x-a"] = nil
    #expect(removed == ["B": "2"])
    #expect(unset == ["B": "2"])
  }

  @Test("names that differ in a character other than a letter are different")
  func similarNames() {
    let names = ["X-^", "X-~"]
    let fields = names.map { HTTPHeader(name: $0, value: $0) }
    #expect(HTTPHeaders(received: fields).dictionary == ["X-^": "X-^", "X-~": "X-~"])
    let others = (0..<40).map { HTTPHeader(name: "F\($0)", value: "1") }
    #expect(HTTPHeaders(others + fields).map(\.name).suffix(2) == names[...])
  }

  @Test("a long list keeps the last field of a name, at the place of the first")
  func longList() {
    let fields = (0..<40).map { HTTPHeader(name: "F\($0)", value: "1") }
    let headers = HTTPHeaders(fields + [HTTPHeader(name: "f3", value: "2")])
    #expect(headers.map(\.name) == (0..<40).map { $0 == 3 ? "f3" : "F\($0)" })
    #expect(headers["F3"] == "2")
  }

  @Test(
    "Retry-After is a number of seconds, or a date compared with the response's own",
    arguments: [
      ("120", .seconds(120)), (" 7 ", .seconds(7)), ("0", .zero),
      ("Sun, 06 Nov 1994 08:49:47 GMT", .seconds(10)),
      ("Sun, 06 Nov 1994 08:49:27 GMT", .zero), ("", nil), ("-1", nil), ("1.5", nil), ("soon", nil),
    ] as [(String, Duration?)])
  func retryAfter(value: String, duration: Duration?) {
    let headers: HTTPHeaders = ["Date": "Sun, 06 Nov 1994 08:49:37 GMT", "Retry-After": value]
    #expect(headers.retryAfter == duration)
  }

  @Test("are sorted by name only on request")
  func sorting() {
    let headers: HTTPHeaders = ["b": "1", "C": "2", "A": "3"]
    #expect(headers.sorted().map(\.name) == ["A", "b", "C"])
    #expect(headers.map(\.name) == ["b", "C", "A"])
    #expect(HTTPHeaders(["b": "1", "a": "2"]).map(\.name) == ["a", "b"])
    #expect(headers.dictionary == ["b": "1", "C": "2", "A": "3"])
  }

  @Test("the factories create their fields")
  func factories() {
    let fields: HTTPHeaders = [
      .accept("1"), .acceptCharset("2"), .acceptEncoding("3"), .acceptLanguage("4"),
      .authorization(bearerToken: "5"), .contentDisposition("6"), .contentEncoding("7"), .contentType("8"),
      .userAgent("9"), .websocketProtocol("10"),
    ]
    #expect(
      fields.description.split(separator: "\n") == [
        "Accept: 1", "Accept-Charset: 2", "Accept-Encoding: 3", "Accept-Language: 4",
        "Authorization: <redacted>", "Content-Disposition: 6", "Content-Encoding: 7", "Content-Type: 8",
        "User-Agent: 9", "Sec-WebSocket-Protocol: 10",
      ])
    #expect(fields["Authorization"] == "Bearer 5")
  }

  @Test("a line without a name is ignored with its continuation lines")
  func continuation() {
    let lines = Array("A: b\r\nC\r\n d\r\n: e\r\n f\r\nG: h\r\n i\r\n".utf8)
    let head = ResponseHead(statusCode: 200, url: "http://h", httpVersion: nil, fieldLines: lines)
    #expect(head.headers == ["A": "b", "G": "h i"])
  }

  @Test("continuation lines are joined by one space, blank ones add nothing, and a CR becomes a space")
  func folding() {
    let lines = Array("A:\r\n b\r\n \t\r\nC: d\r\n\te\r\nF: g\rh\r\n".utf8)
    let head = ResponseHead(statusCode: 200, url: "http://h", httpVersion: nil, fieldLines: lines)
    #expect(head.headers == ["A": "b", "C": "d e", "F": "g h"])
  }

  @Test("default fields can be sent")
  func defaults() {
    #expect(HTTPHeaders.default.map(\.name) == ["Accept-Encoding", "Accept-Language", "User-Agent"])
    #expect(HTTPHeader.defaultAcceptEncoding.value == "br;q=1.0, gzip;q=0.9, deflate;q=0.8")
    #expect(HTTPHeaders.default.allSatisfy { $0.value.utf8.allSatisfy { 0x20..<0x7F ~= $0 } })
  }

  @Test("weights fall by tenths and stay above zero")
  func weights() {
    let list = (0..<12).map { "l\($0)" }.qualityEncoded().components(separatedBy: ", ")
    #expect(list[3] == "l3;q=0.7")
    #expect(list[9] == "l9;q=0.1")
    #expect(list[11] == "l11;q=0.1")
    #expect([String]().qualityEncoded() == "")
  }

  @Test("a URLRequest's fields and method can be read and set")
  func request() {
    var request = URLRequest(url: URL(staticString: "http://h"))
    request.headers.add(.accept("a"))
    request.headers.add(.accept("b"))
    request.method = .query
    #expect(request.allHTTPHeaderFields == ["Accept": "b"])
    #expect(request.httpMethod == "QUERY")
    #expect(request.method == .query)
    request.headers = [:]
    #expect(request.headers.isEmpty)
  }

  @Test("a value that breaks the line replaces the field in any spelling, so that the request is refused")
  func forgedValue() {
    var request = URLRequest(url: URL(staticString: "http://h"))
    request.allHTTPHeaderFields = ["x-a": "old"]
    request.setField("X-A", to: "b\nc")
    #expect(request.allHTTPHeaderFields == ["X-A": "b\nc"])
  }
}
