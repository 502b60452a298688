import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("JSONEncoding")
struct JSONEncodingTests {
  private let request = URLRequest(url: URL(staticString: "https://example.com/get"))

  @Test("matches the test vectors", arguments: TestVector.rows(of: "json_encoding"))
  func row(_ vector: TestVector) throws {
    var request = request
    if let type = vector.input.presetContentType.string {
      request.setValue(type, forHTTPHeaderField: "Content-Type")
    }
    guard vector.expected.error == .null else {
      let error = ParameterEncodingError.invalidJSONValue(path: "key", value: "Unencodable()")
      #expect(throws: error) {
        try JSONEncoding.default.encode(request, with: vector.input.parameters.asParameters)
      }
      return
    }
    let encoded = try JSONEncoding.default.encode(request, with: vector.input.parameters.asParameters)
    #expect(try encoded.httpBody.map(JSONValue.init(parsing:)) ?? .null == vector.expected.bodyJSON)
    #expect(encoded.value(forHTTPHeaderField: "Content-Type") == vector.expected.contentType.string)
  }

  @Test("an array may be the root")
  func arrayRoot() throws {
    let encoded = try JSONEncoding.default.encode(request, withJSONObject: [1, 2])
    #expect(encoded.httpBody == Data("[1,2]".utf8))
  }

  @Test("prettyPrinted indents")
  func prettyPrinted() throws {
    let body = try JSONEncoding.prettyPrinted.encode(request, with: ["a": 1]).httpBody ?? Data()
    #expect(String(decoding: body, as: UTF8.self).contains("\n"))
    #expect(JSONEncoding(options: [.sortedKeys]).options == [.sortedKeys])
  }

  @Test("a root that is neither object nor array is an error")
  func scalarRoot() {
    #expect(throws: ParameterEncodingError.invalidJSONValue(path: "", value: "1")) {
      try JSONEncoding.default.encode(request, withJSONObject: 1)
    }
  }

  @Test("errors name the value that cannot be written and its path")
  func descriptions() {
    let description = { (error: ParameterEncodingError) in error.localizedDescription }
    #expect(
      description(.invalidJSONValue(path: "a[0]", value: "inf"))
        == #"inf at "a[0]" cannot be written as JSON."#)
    #expect(
      description(.invalidJSONValue(path: "", value: "1")) == "1 cannot be the root of a JSON text.")
    #expect(description(.missingURL) == "The request has no URL for the parameters.")
    #expect(description(.invalidURL("http://[")) == "http://[ is not a URL.")
  }

  @Test("the error has the path of the value that JSON cannot represent")
  func path() {
    #expect(throws: ParameterEncodingError.invalidJSONValue(path: "user.sizes[1]", value: "inf")) {
      try JSONEncoding.default.encode(request, with: ["user": ["sizes": [1.5, Double.infinity]]])
    }
  }

  @Test("a date that is not a number is an error")
  func dateWithoutTime() {
    #expect(throws: ParameterEncodingError.invalidJSONValue(path: "from", value: "nan")) {
      try JSONEncoding.default.encode(request, with: ["from": Date(timeIntervalSinceReferenceDate: .nan)])
    }
  }
}
