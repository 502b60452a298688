import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("URLEncoding matches the test vectors")
struct URLEncodingVectorTests {
  @Test(arguments: TestVector.rows(of: "url_encoding"))
  func row(_ vector: TestVector) throws {
    var request = URLRequest(url: try #require(vector.input.url.string.flatMap(URL.init(string:))))
    request.httpMethod = vector.input.method.string
    if let type = vector.input.presetContentType.string {
      request.setValue(type, forHTTPHeaderField: "Content-Type")
    }
    let encoded = try encoding(vector.input).encode(request, with: vector.input.parameters.asParameters)

    let query = vector.expected.query.asAny as? String
    #expect(encoded.url?.query(percentEncoded: true) == query)
    #expect(encoded.httpBody.map { String(decoding: $0, as: UTF8.self) } == vector.expected.body.string)
    #expect(encoded.value(forHTTPHeaderField: "Content-Type") == vector.expected.contentType.string)
    if let url = vector.expected.url.string { #expect(encoded.url?.absoluteString == url) }
  }

  private func encoding(_ input: JSONValue) throws -> URLEncoding {
    let destinations: [String: URLEncoding.Destination] = [
      "methodDependent": .methodDependent, "queryString": .queryString, "httpBody": .httpBody,
    ]
    let arrays: [String: URLEncoding.ArrayEncoding] = [
      "brackets": .brackets, "noBrackets": .noBrackets, "indexInBrackets": .indexInBrackets,
      "custom:dot1": .custom { "\($0).\($1 + 1)" },
    ]
    let bools: [String: URLEncoding.BoolEncoding] = ["numeric": .numeric, "literal": .literal]
    return URLEncoding(
      destination: try #require(input.destination.string.flatMap { destinations[$0] }),
      arrayEncoding: try #require(input.arrayEncoding.string.flatMap { arrays[$0] }),
      boolEncoding: try #require(input.boolEncoding.string.flatMap { bools[$0] }))
  }
}
