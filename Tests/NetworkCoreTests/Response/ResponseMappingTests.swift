import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Mapping a response")
struct ResponseMappingTests {
  private struct Issue: Decodable {
    let title: String
    let createdAt: Date
  }

  private struct OptionalIssue: Decodable {
    let title: String?
    let createdAt: Date?
  }

  @Test("matches the test vectors", arguments: TestVector.rows(of: "response_map"))
  func row(_ vector: TestVector) throws {
    let bytes = vector.input.data.asAny as? Data ?? Data((vector.input.data.string ?? "").utf8)
    let response = Response(statusCode: 200, data: bytes)
    if let error = vector.expected.error.string {
      let thrown = #expect(throws: NetworkError.self) { try map(response, vector.input) }
      #expect(thrown.map(name) == error)
      #expect(thrown?.response == response)
    } else {
      #expect(try map(response, vector.input) == vector.expected)
    }
  }

  private func name(of error: NetworkError) -> String {
    switch error {
    case .jsonMapping: "jsonMapping"
    case .stringMapping: "stringMapping"
    case .objectMapping: "objectMapping"
    default: "\(error)"
    }
  }

  /// Maps the response as a row specifies, and returns the result as rows expect it.
  private func map(_ response: Response, _ row: JSONValue) throws -> JSONValue {
    let keyPath = row.keyPath.string
    let failsOnEmptyData = row.failsOnEmptyData.bool ?? true
    let decoder = JSONDecoder()
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.dateFormat = "yyyy-MM-dd'T'HH:mm:ss"
    decoder.dateDecodingStrategy = .formatted(formatter)
    func decode<D: Decodable>(_ type: D.Type) throws -> D {
      try response.map(type, atKeyPath: keyPath, using: decoder, failsOnEmptyData: failsOnEmptyData)
    }
    switch (row.op, row.type) {
    case ("mapJSON", _):
      return .object(["json": try JSONValue(any: response.mapJSON(failsOnEmptyData: failsOnEmptyData))])
    case ("mapString", _):
      return .object(["string": .string(try response.mapString(atKeyPath: keyPath))])
    case (_, "Issue"):
      return .object(["title": .string(try decode(Issue.self).title)])
    case (_, "[Issue]"):
      return .object(["titles": .array(try decode([Issue].self).map { .string($0.title) })])
    case (_, "OptionalIssue"):
      return .object(["titleNil": .bool(try decode(OptionalIssue.self).title == nil)])
    case (_, "Int"):
      return .object(["value": .int(try decode(Int.self))])
    case (_, "Bool"):
      return .object(["value": .bool(try decode(Bool.self))])
    case (_, "URL"):
      return .object(["value": .string(try decode(URL.self).absoluteString)])
    case (_, "String"):
      return .object(["value": .string(try decode(String.self))])
    case (_, "[String]"):
      return .object(["value": .array(try decode([String].self).map(JSONValue.string))])
    default:
      throw NetworkError.requestMapping("unknown row \(row)")
    }
  }

  private func response(_ text: String) -> Response { Response(statusCode: 200, data: Data(text.utf8)) }

  @Test("an empty body is an empty array if it may be empty")
  func emptyArray() throws {
    #expect(try response("").map([Int].self, failsOnEmptyData: false) == [])
    #expect(try response("").map([Int].self, atKeyPath: "a", failsOnEmptyData: false) == [])
    #expect(try response("").map([String: Int].self, failsOnEmptyData: false) == [:])
  }

  @Test("an empty body is an array of one element if an empty object is one")
  func emptyElement() throws {
    struct Item: Decodable {
      var name: String?
    }
    #expect(try response("").map([Item].self, failsOnEmptyData: false).map(\.name) == [nil])
    #expect(try response("").map([Item].self, atKeyPath: "a", failsOnEmptyData: false).count == 1)
  }

  @Test("the given decoder also decodes an empty body")
  func decoderOfEmptyBody() throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { _ in Date(timeIntervalSince1970: 5) }
    let date = try response("").map(Date.self, using: decoder, failsOnEmptyData: false)
    #expect(date == Date(timeIntervalSince1970: 5))
  }

  @Test("an empty body is an error unless it may be empty")
  func emptyFails() {
    for error in [
      #expect(throws: NetworkError.self) { try response("").map([Int].self) },
      #expect(throws: NetworkError.self) { try response("").map(Int.self, failsOnEmptyData: false) },
      #expect(throws: NetworkError.self) {
        try response("").map(Int.self, atKeyPath: "a", failsOnEmptyData: false)
      },
    ] {
      guard case .objectMapping = error else {
        Testing.Issue.record("\(String(describing: error))")
        continue
      }
    }
  }

  @Test("a missing key path means the whole body if the body may be empty")
  func missingKeyPath() throws {
    #expect(
      try response(#"{"a":1}"#).map([String: Int].self, atKeyPath: "b.c", failsOnEmptyData: false) == ["a": 1]
    )
  }

  @Test("the error of a missing key path names it, and that of another body says that it is not JSON")
  func namedKeyPath() {
    func text(_ body: String) -> String? {
      do {
        _ = try response(body).map([Int].self, atKeyPath: "itms")
        return nil
      } catch {
        return error.localizedDescription
      }
    }
    #expect(
      text(#"{"items": [1]}"#)
        == #"Failed to map data to JSON. The body has no value at the key path "itms"."#)
    #expect(text("<html>") == "Failed to map data to JSON. The body is not JSON.")
  }

  @Test("the response in the error of a missing key path has its request")
  func requestOfMissingKeyPath() {
    let url = URL(staticString: "http://h")
    let whole = Response(statusCode: 200, data: Data(#"{"items":[1]}"#.utf8), request: URLRequest(url: url))
    let error = #expect(throws: NetworkError.self) { try whole.map([Int].self, atKeyPath: "itms") }
    #expect(error?.response?.request?.url == url)
  }

  @Test("the response in the error of a missing key path has its header fields and metrics")
  func headOfMissingKeyPath() async throws {
    var metrics = TransferMetrics()
    metrics.total = .seconds(2)
    let transport = ScriptedTransport { [metrics] transfer in
      transfer.send(
        .head(ResponseHead(statusCode: 200, url: "http://h", headers: ["X-Request": "7"])),
        .body(Data(#"{"items":[1]}"#.utf8)), .metrics(metrics), .finished(nil))
    }
    let whole = try await NetworkProvider<LoopbackTarget>(transport: transport)
      .result(LoopbackTarget(URL(staticString: "http://h"))).get()
    let error = #expect(throws: NetworkError.self) { try whole.map([Int].self, atKeyPath: "itms") }
    #expect(error?.response?.headers["X-Request"] == "7")
    #expect(error?.response?.metrics == metrics)
  }

  @Test("the given decoder also decodes the whole body, if the key path is missing")
  func decoderOfMissingKeyPath() throws {
    struct User: Decodable { let firstName: String }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let user = try response(#"{"first_name":"ash"}"#)
      .map(User.self, atKeyPath: "user", using: decoder, failsOnEmptyData: false)
    #expect(user.firstName == "ash")
  }

  @Test("a key path can lead through several objects")
  func deepKeyPath() throws {
    let body = response(#"{"data":{"user":{"name":"ash","tags":["a"],"pay":0.1,"none":null}}}"#)
    #expect(try body.map([String].self, atKeyPath: "data.user.tags") == ["a"])
    #expect(try body.mapString(atKeyPath: "data.user.name") == "ash")
    #expect(try body.map(Double.self, atKeyPath: "data.user.pay") == 0.1)
    #expect(try body.map(Int?.self, atKeyPath: "data.user.none") == nil)
  }

  @Test(
    "the text of a body has the encoding of its mark, or else of its type, or else UTF-8",
    arguments: [
      ([0xC3, 0xA9], nil, "é"), ([0xC3, 0xA9], "text/plain", "é"),
      ([0xC3, 0xA9], "text/plain; charset=US-ASCII", "é"),
      ([0xC3, 0xA9], "text/plain; charset=unknown", "é"),
      ([0xC3, 0xA9], "text/plain; charset=\"\"", "é"),
      ([0xEF, 0xBB, 0xBF, 0x41], nil, "A"),
      ([0xEF, 0xBB, 0xBF, 0x41], "text/plain; charset=iso-8859-1", "A"),
      ([0xE9], "text/plain;charset=ISO-8859-1", "é"),
      ([0x93, 0xE9], "text/html; charset=\"Windows-1252\"", "“é"),
      ([0x83, 0x65], "text/plain; format=flowed; CHARSET = Shift_JIS", "テ"),
      ([0xE9], "text/plain; x=\"a; charset=utf-16, \\\"\"; charset=iso-8859-1, text/html", "é"),
      ([0, 0x41], "text/plain; charset=utf-16", "A"),
      ([0xFF, 0xFE, 0x41, 0], "text/plain; charset=utf-16", "A"),
      ([0xFE, 0xFF, 0, 0x41], nil, "A"), ([0x41, 0], "text/plain; charset=UTF-16LE", "A"),
      ([0xE9], nil, nil), ([0xE9], "text/plain; charset=utf-8", nil), ([], "text/plain; charset=utf-16", ""),
      ([0xFF, 0xFE, 0, 0, 0x41, 0, 0, 0], nil, "A"), ([0, 0, 0xFE, 0xFF, 0, 0, 0, 0x41], nil, "A"),
      ([0xC9], "text/plain; charset=KOI8-R", "и"), ([0xA4], "text/plain; charset=ISO-8859-15", "€"),
      ([0xC4, 0xE3], "text/plain; charset=gbk", "你"), ([0xA7, 0x41], "text/plain; charset=Big5", "你"),
      ([0xA4, 0xA2], "text/plain; charset=EUC-JP", "あ"), ([0xB0, 0xA1], "text/plain; charset=euc-kr", "가"),
      // Servers send larger character sets under these names.
      ([0xE9, 0x46], "text/plain; charset=gb2312", "镕"), ([0x8C, 0x63], "text/plain; charset=euc-kr", "똠"),
      ([0x8C, 0x63], "text/plain; charset=ks_c_5601-1987", "똠"),
      ([0xE9], "text/plain; charset=iso-8859-1; charset=utf-8", "é"),
      ([0x83, 0x65], "text/plain; charset='shift_jis'", "テ"),
      ([0x83, 0x65], "text/plain; charset=x-sjis", "テ"),
      ([0, 0, 0, 0x41], "text/plain; charset=utf-32", "A"),
      ([0x41, 0, 0, 0], "text/plain; charset=utf-32le", "A"),
      // The last code unit is not whole.
      ([0, 0, 0xFE, 0xFF, 0, 0, 0, 0x41, 0, 0], nil, nil), ([0xFE, 0xFF, 0, 0x41, 0], nil, nil),
      ([0x41], "text/plain; charset=utf-16le", nil), ([0, 0, 0, 0x41, 0], "text/plain; charset=utf-32", nil),
      // The decoder keeps a letter until it knows whether a mark follows.
      ([0x61, 0xEC, 0x61], "text/plain; charset=windows-1258", "áa"),
      (Array("+AOk-".utf8), "text/plain; charset=utf-7", "é"), ([], "text/plain; charset=gbk", ""),
      ([0xC4], "text/plain; charset=gbk", nil), ([0xFF, 0x41], "text/plain; charset=gbk", nil),
      ([0xC3, 0xA9], "text/plain; charset=gbk//IGNORE", "é"),
      (
        Array(repeating: 0xC9, count: 20_000), "text/plain; charset=koi8-r",
        String(repeating: "и", count: 20_000)
      ),
    ] as [([UInt8], String?, String?)])
  func encodings(body: [UInt8], type: String?, expected: String?) throws {
    let url = try #require(URL(string: "http://h/"))
    let head = HTTPURLResponse(
      url: url, statusCode: 200, httpVersion: nil, headerFields: type.map { ["Content-Type": $0] })
    let response = Response(statusCode: 200, data: Data(body), response: head)
    guard let expected else {
      let error = #expect(throws: NetworkError.self) { try response.mapString() }
      #expect(error.map(name) == "stringMapping")
      return
    }
    #expect(try response.mapString() == expected)
  }

  @Test("a key path through a value that is not an object leads to no value")
  func brokenKeyPath() {
    for keyPath in ["a.b", "c.d", "list.0"] {
      let error = #expect(throws: NetworkError.self) {
        try response(#"{"a":1,"list":[1]}"#).map(Int.self, atKeyPath: keyPath)
      }
      #expect(error.map(name) == "jsonMapping")
    }
  }

  @Test("an empty key path is the whole body")
  func emptyKeyPath() throws {
    #expect(try response("[1]").map([Int].self, atKeyPath: "") == [1])
  }

  @Test("the decoder's key strategy applies below the key path, not to it")
  func keyStrategy() throws {
    struct User: Decodable { let firstName: String }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let user = try response(#"{"the_user":{"first_name":"ash"}}"#)
      .map(User.self, atKeyPath: "the_user", using: decoder)
    #expect(user.firstName == "ash")
  }

  @Test("JSON may be a single value")
  func fragments() throws {
    #expect(try response("1").mapJSON() as? Int == 1)
    #expect(try response("true").map(Bool.self) == true)
  }
}
