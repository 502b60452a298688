import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Parameter encoders")
struct ParameterEncoderTests {
  private func request(_ method: HTTPMethod = .post) -> URLRequest {
    var request = URLRequest(url: URL(staticString: "http://h/x?b=2"))
    request.method = method
    return request
  }

  @Test("JSON matches the test vectors", arguments: TestVector.rows(of: "json_encoder"))
  func row(_ vector: TestVector) throws {
    let encoders: [String: JSONParameterEncoder] = ["default": .default, "prettyPrinted": .prettyPrinted]
    let encoder = try #require(vector.input.format.string.flatMap { encoders[$0] })
    let encoded = try encoder.encode(EncodableJSONValue(value: vector.input.value), into: request())
    #expect(encoded.httpBody.map { String(decoding: $0, as: UTF8.self) } == vector.expected.body.string)
    #expect(encoded.headers["Content-Type"] == vector.expected.contentType.string)
  }

  @Test("nil leaves the request unchanged")
  func none() throws {
    for encoder: any ParameterEncoder in [.json, .urlEncodedForm] {
      #expect(try encoder.encode([String: Int]?.none, into: request()) == request())
    }
  }

  @Test("JSON is written by the given encoder")
  func jsonEncoder() throws {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    let json: any ParameterEncoder = .json(encoder: encoder)
    var request = request()
    request.headers["content-type"] = "application/x"
    let encoded = try json.encode(["oneTwo": 1], into: request)
    #expect(encoded.httpBody == Data(#"{"oneTwo":1}"#.utf8))
    #expect(encoded.headers["Content-Type"] == "application/x")
    let sorted = try JSONParameterEncoder.sortedKeys.encode(["b": 1, "a": 2], into: request)
    #expect(sorted.httpBody == Data(#"{"a":2,"b":1}"#.utf8))
  }

  @Test("a value that JSON cannot represent is an error of the encoder")
  func invalidJSON() {
    #expect(throws: EncodingError.self) {
      try JSONParameterEncoder.default.encode(["a": Double.nan], into: request())
    }
  }

  @Test("a form goes to the chosen destination")
  func destinations() throws {
    func encoded(_ encoder: any ParameterEncoder, _ method: HTTPMethod) throws -> URLRequest {
      try encoder.encode(["a": 1], into: request(method))
    }
    for (encoder, method) in [
      (.urlEncodedForm, .get), (.urlEncodedForm(destination: .queryString), .post),
    ] as [(any ParameterEncoder, HTTPMethod)] {
      let encoded = try encoded(encoder, method)
      #expect(encoded.url?.absoluteString == "http://h/x?b=2&a=1")
      #expect(encoded.httpBody == nil)
      #expect(encoded.headers.isEmpty)
    }
    for (encoder, method) in [
      (.urlEncodedForm, .post), (.urlEncodedForm(destination: .httpBody), .get),
    ] as [(any ParameterEncoder, HTTPMethod)] {
      let encoded = try encoded(encoder, method)
      #expect(encoded.url?.absoluteString == "http://h/x?b=2")
      #expect(encoded.httpBody == Data("a=1".utf8))
      #expect(encoded.headers["Content-Type"] == "application/x-www-form-urlencoded; charset=utf-8")
    }
  }

  @Test("a query without a URL is an error")
  func missingURL() {
    var request = request(.get)
    request.url = nil
    #expect(throws: ParameterEncodingError.missingURL) {
      try URLEncodedFormParameterEncoder.default.encode(["a": 1], into: request)
    }
  }

  @Test("encoders can be subclassed")
  func subclass() throws {
    final class Wrapping: JSONParameterEncoder, @unchecked Sendable {
      override func encode<Parameters: Encodable>(
        _ parameters: Parameters?, into request: URLRequest
      ) throws -> URLRequest {
        try super.encode(parameters.map { ["data": $0] }, into: request)
      }
    }
    #expect(try Wrapping().encode([1], into: request()).httpBody == Data(#"{"data":[1]}"#.utf8))
  }
}
