import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("PropertyListEncoding")
struct PropertyListEncodingTests {
  private let request = URLRequest(url: URL(staticString: "http://h"))

  private struct Value: Decodable, Equatable {
    var text: String
    var number: Int
    var list: [Double]
    var data: Data
    var date: Date
    var flag: Bool
  }

  @Test("writes a property list that can be read back", arguments: [PropertyListEncoding.xml, .binary])
  func roundTrip(encoding: PropertyListEncoding) throws {
    let date = Date(timeIntervalSince1970: 86_400)
    let encoded = try encoding.encode(
      request,
      with: [
        "text": "ä", "number": Optional(3) as Any, "list": [0.5, 2] as [Double?], "data": Data([1]),
        "date": date,
        "flag": true,
      ])
    let value = try PropertyListDecoder().decode(Value.self, from: #require(encoded.httpBody))
    #expect(
      value == Value(text: "ä", number: 3, list: [0.5, 2], data: Data([1]), date: date, flag: true))
    #expect(encoded.headers["Content-Type"] == "application/x-plist")
  }

  @Test("each encoding writes its format, and the default is XML")
  func formats() throws {
    for (encoding, start) in [(.default, "<?xml"), (.xml, "<?xml"), (.binary, "bplist")]
      as [(PropertyListEncoding, String)]
    {
      let encoded = try encoding.encode(request, with: ["a": 1])
      #expect(encoded.httpBody?.starts(with: start.utf8) == true)
    }
  }

  private struct Numbers: Decodable {
    var integers: [Int]
    var reals: [Double]
  }

  @Test("numbers of each type that Foundation has are written")
  func numbers() throws {
    let integers: [Any] = [
      1, Int8(1), Int16(1), Int32(1), Int64(1), UInt(1), UInt8(1), UInt16(1), UInt32(1), UInt64(1),
    ]
    let encoded = try PropertyListEncoding.xml.encode(
      request, with: ["integers": integers, "reals": [Float(0.5), 0.5 as Double] as [Any]])
    let numbers = try PropertyListDecoder().decode(Numbers.self, from: #require(encoded.httpBody))
    #expect(numbers.integers == Array(repeating: 1, count: integers.count))
    #expect(numbers.reals == [0.5, 0.5])
  }

  @Test("keeps a Content-Type, and a request without parameters")
  func keeps() throws {
    var request = request
    #expect(try PropertyListEncoding.default.encode(request, with: nil) == request)
    request.headers["Content-Type"] = "text/x"
    let encoded = try PropertyListEncoding.default.encode(request, with: [:])
    #expect(encoded.headers["Content-Type"] == "text/x")
    #expect(encoded.httpBody?.isEmpty == false)
  }

  @Test("the error has the path of the value that a property list cannot represent")
  func invalid() {
    #expect(throws: ParameterEncodingError.invalidPropertyListValue(path: "a.b[1]", value: "nil")) {
      try PropertyListEncoding.default.encode(request, with: ["a": ["b": [1, nil] as [Int?]]])
    }
    #expect(throws: ParameterEncodingError.invalidPropertyListValue(path: "a", value: "<null>")) {
      try PropertyListEncoding.default.encode(request, with: ["a": NSNull()])
    }
    // Foundation does not bridge them to numbers.
    for number in [Int128(1), UInt128(1)] as [Any] {
      #expect(throws: ParameterEncodingError.invalidPropertyListValue(path: "a", value: "1")) {
        try PropertyListEncoding.default.encode(request, with: ["a": number])
      }
    }
    let date = Date(timeIntervalSinceReferenceDate: .nan)
    #expect(throws: ParameterEncodingError.invalidPropertyListValue(path: "a", value: "nan")) {
      try PropertyListEncoding.default.encode(request, with: ["a": date])
    }
    #expect(throws: ParameterEncodingError.unsupportedFormat("OpenStep")) {
      try PropertyListEncoding(format: .openStep).encode(request, with: ["a": 1])
    }
  }
}

@Suite("Nested parameters")
struct NestedParametersTests {
  @Test(
    "are written up to the limit, and refused beyond it",
    arguments: [URLEncoding.httpBody, JSONEncoding.default, PropertyListEncoding.default]
      as [any ParameterEncoding])
  func depth(encoding: any ParameterEncoding) throws {
    let request = URLRequest(url: URL(staticString: "http://h"))
    func nested(_ depth: Int) -> [String: Any] {
      ["a": (1..<depth).reduce([1] as Any) { inner, _ in [inner] }]
    }
    #expect(try encoding.encode(request, with: nested(499)).httpBody != nil)
    let error = #expect(throws: ParameterEncodingError.self) {
      try encoding.encode(request, with: nested(500))
    }
    guard case .nestedTooDeep(limit: 500, let path) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(path.hasPrefix("a[0]"))
    #expect(path.count == 100)
  }
}
