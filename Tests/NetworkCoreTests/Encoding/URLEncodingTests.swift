import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("URLEncoding")
struct URLEncodingTests {
  private func query(_ parameters: [String: Any], url: String = "http://h/x") throws -> String? {
    let request = URLRequest(url: try #require(URL(string: url)))
    return try URLEncoding.queryString.encode(request, with: parameters).url?.absoluteString
  }

  @Test("keys are sorted")
  func order() throws {
    #expect(try query(["q": "swift", "page": 2]) == "http://h/x?page=2&q=swift")
  }

  @Test("nested keys are sorted, so that the text is always the same")
  func nestedOrder() throws {
    let nested = Dictionary(uniqueKeysWithValues: (0..<9).map { ("k\($0)", $0) })
    let pairs = URLEncoding.default.queryComponents(fromKey: "a", value: nested)
    #expect(pairs.map(\.0) == (0..<9).map { "a%5Bk\($0)%5D" })
    #expect(pairs.map(\.1) == (0..<9).map { "\($0)" })
  }

  @Test("an optional is written as the value that it contains, or omitted if it is nil")
  func optionals() throws {
    let parameters: [String: Any] = [
      "a": Optional("x") as Any, "b": Optional<Int>.none as Any, "c": [Optional(1), nil] as [Int?],
    ]
    #expect(try query(parameters) == "http://h/x?a=x&c%5B%5D=1")
    #expect(try query(["b": Optional<Int>.none as Any]) == "http://h/x")
  }

  @Test("a date that is not a number is written as nan")
  func dateWithoutTime() throws {
    let url = try query(["from": Date(timeIntervalSinceReferenceDate: .nan)])
    #expect(url == "http://h/x?from=nan")
  }

  @Test(
    "a query is appended to the existing URL",
    arguments: [
      ("http://h/x?", "http://h/x?a=1"), ("http://h/x?b=2#f?g", "http://h/x?b=2&a=1#f?g"),
      ("http://h", "http://h?a=1"),
      ("http://h/x#", "http://h/x?a=1#"),
    ])
  func existing(url: String, expected: String) throws {
    #expect(try query(["a": 1], url: url) == expected)
  }

  @Test(
    "the parameters of GET, HEAD and DELETE go to the query, and those of other methods to the body",
    arguments: [("GET", true), ("HEAD", true), ("DELETE", true), ("PUT", false), ("OPTIONS", false)])
  func methods(method: String, writesQuery: Bool) throws {
    var request = URLRequest(url: URL(staticString: "http://h"))
    request.httpMethod = method
    let encoded = try URLEncoding.default.encode(request, with: ["a": 1])
    #expect(encoded.url?.absoluteString == (writesQuery ? "http://h?a=1" : "http://h"))
    #expect(encoded.httpBody == (writesQuery ? nil : Data("a=1".utf8)))
  }

  @Test("a request without a URL is refused if the text goes to the query")
  func missingURL() {
    var request = URLRequest(url: URL(staticString: "http://h"))
    request.url = nil
    #expect(throws: ParameterEncodingError.missingURL) {
      try URLEncoding.queryString.encode(request, with: ["a": 1])
    }
  }

  @Test("escape does not change RFC 3986's unreserved characters, ? and /")
  func escape() {
    #expect(URLEncoding.default.escape("aZ09-._~?/") == "aZ09-._~?/")
    #expect(URLEncoding.default.escape("a b%é\u{0}") == "a%20b%25%C3%A9%00")
  }

  @Test("numbers keep their format")
  func numbers() throws {
    let parameters: [String: Any] = [
      "a": UInt64.max, "b": Int8(5), "c": Float(1.5), "d": Decimal(string: "0.1") as Any,
      "e": NSNumber(value: 1),
    ]
    #expect(try query(parameters) == "http://h/x?a=18446744073709551615&b=5&c=1.5&d=0.1&e=1")
  }
}
