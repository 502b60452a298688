import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("URLEncodedFormEncoder")
struct URLEncodedFormEncoderTests {
  @Test("matches the test vectors", arguments: TestVector.rows(of: "form_encoder"))
  func row(_ vector: TestVector) throws {
    let encoder = try encoder(vector.input.options)
    let value = EncodableJSONValue(value: vector.input.value)
    if vector.expected.error == "invalidRootObject" {
      let error = #expect(throws: URLEncodedFormEncoder.Error.self) { try encoder.encode(value) as String }
      guard case .invalidRootObject = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    } else {
      #expect(try encoder.encode(value) == vector.expected.string)
    }
  }

  private func encoder(_ options: JSONValue) throws -> URLEncodedFormEncoder {
    func option<Option>(_ name: String, _ known: [String: Option], default: Option) throws -> Option {
      guard let wanted = options[name].string else { return `default` }
      return try #require(known[wanted])
    }
    return URLEncodedFormEncoder(
      arrayEncoding: try option(
        "array",
        [
          "indexInBrackets": .indexInBrackets, "noBrackets": .noBrackets,
          "custom:dot1": .custom { "\($0).\($1 + 1)" },
        ], default: .brackets),
      dateEncoding: try option(
        "date",
        [
          "deferredToDate": .deferredToDate, "millisecondsSince1970": .millisecondsSince1970,
          "iso8601": .iso8601,
        ], default: .deferredToDate),
      keyEncoding: try option(
        "key",
        [
          "convertToSnakeCase": .convertToSnakeCase, "convertToKebabCase": .convertToKebabCase,
          "lowercased": .lowercased, "uppercased": .uppercased,
        ], default: .useDefaultKeys),
      keyPathEncoding: try option("keyPath", ["dots": .dots], default: .brackets),
      nilEncoding: try option("nil", ["dropKey": .dropKey, "null": .null], default: .dropKey),
      spaceEncoding: try option("space", ["plusReplaced": .plusReplaced], default: .percentEscaped),
      allowedCharacters: .afURLQueryAllowed.subtracting(
        CharacterSet(charactersIn: options.disallow.string ?? "")))
  }

  private func text(_ value: some Encodable, _ encoder: URLEncodedFormEncoder = .init()) throws -> String {
    try encoder.encode(value)
  }

  @Test("the members keep their order if sorting is off")
  func unsorted() throws {
    struct Value: Encodable { let b = [3, 1, 2], a = 1 }
    let encoder = URLEncodedFormEncoder(alphabetizeKeyValuePairs: false, arrayEncoding: .noBrackets)
    #expect(try text(Value(), encoder) == "b=3&b=1&b=2&a=1")
    #expect(try text(Value()) == "a=1&b%5B%5D=1&b%5B%5D=2&b%5B%5D=3")
  }

  @Test("dates, data, numbers, URLs and booleans have the requested format")
  func scalars() throws {
    func field(_ value: some Encodable, _ encoder: URLEncodedFormEncoder = .init()) throws -> String {
      try text(["d": value], encoder)
    }
    let date = Date(timeIntervalSince1970: 1.5)
    #expect(try field(date, .init(dateEncoding: .secondsSince1970)) == "d=1.5")
    let later = URLEncodedFormEncoder.DateEncoding.custom { "\($0.timeIntervalSince1970 + 1)" }
    #expect(try field(date, .init(dateEncoding: later)) == "d=2.5")
    let formatter = DateFormatter()
    formatter.dateFormat = "yyyy"
    formatter.timeZone = TimeZone(identifier: "UTC")
    #expect(try field(date, .init(dateEncoding: .formatted(formatter))) == "d=1970")
    let data = Data([1, 2])
    #expect(try field(data) == "d=AQI%3D")
    #expect(try field(data, .init(dataEncoding: .base64)) == "d=AQI%3D")
    #expect(try field(data, .init(dataEncoding: .deferredToData)) == "d%5B%5D=1&d%5B%5D=2")
    #expect(try field(data, .init(dataEncoding: .custom { "\($0.count)" })) == "d=2")
    #expect(try field(true, .init(boolEncoding: .literal)) == "d=true")
    #expect(try field(Decimal(string: "0.1")) == "d=0.1")
    #expect(try field(URL(string: "http://h/?a=b")) == "d=http%3A//h/?a%3Db")
    #expect(try field(UInt64.max) == "d=18446744073709551615")
    #expect(try field(Float(0.5)) == "d=0.5")
  }

  @Test("nil has the requested format, also in arrays")
  func nils() throws {
    struct Value: Encodable { let a: Int? = nil, b: [Int?] = [nil, 1], c: URL? = nil }
    let index = URLEncodedFormEncoder.ArrayEncoding.indexInBrackets
    #expect(try text(Value(), .init(arrayEncoding: index)) == "b%5B0%5D=1")
    #expect(try text(Value(), .init(nilEncoding: .dropValue)) == "a=&b%5B%5D=&b%5B%5D=1&c=")
    #expect(try text(Value(), .init(nilEncoding: .init { "none" })) == "a=none&b%5B%5D=1&b%5B%5D=none&c=none")
  }

  @Test("nil of any type has the requested format")
  func nilsOfAllTypes() throws {
    struct Value: Encodable {
      let a: Bool? = nil, b: String? = nil, c: Double? = nil, d: Float? = nil, e: Int? = nil, f: Int8? = nil
      let g: Int16? = nil, h: Int32? = nil, i: Int64? = nil, j: UInt? = nil, k: UInt8? = nil, l: UInt16? = nil
      let m: UInt32? = nil, n: UInt64? = nil, o: Int128? = nil, p: UInt128? = nil
    }
    let expected = "abcdefghijklmnop".map { "\($0)=" }.joined(separator: "&")
    #expect(try text(Value(), .init(nilEncoding: .dropValue)) == expected)
  }

  @Test("the containers of a type's own encoding write the same as those of arrays")
  func ownContainers() throws {
    struct Rows: Encodable {
      func encode(to encoder: any Encoder) throws {
        var rows = encoder.unkeyedContainer()
        var row = rows.nestedUnkeyedContainer()
        try row.encode(1)
        try row.encodeNil()
        try rows.encodeNil()
        try rows.encode([2])
      }
    }
    struct Own: Encodable { let a = Rows() }
    struct Usual: Encodable { let a: [[Int?]?] = [[1, nil], nil, [2]] }
    for nilEncoding in [URLEncodedFormEncoder.NilEncoding.dropValue, .init { "none" }] {
      let encoder = URLEncodedFormEncoder(arrayEncoding: .indexInBrackets, nilEncoding: nilEncoding)
      #expect(try text(Own(), encoder) == text(Usual(), encoder))
    }
  }

  @Test("keys are converted as by JSONEncoder")
  func keys() throws {
    for key in ["oneTwo", "URLPart", "myURL", "aB1c", "ABC", "x", "one_two", "éÉa"] {
      let json = JSONEncoder()
      json.keyEncodingStrategy = .convertToSnakeCase
      struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
      }
      struct Value: Encodable {
        let key: String
        func encode(to encoder: any Encoder) throws {
          var container = encoder.container(keyedBy: Key.self)
          try container.encode(1, forKey: Key(stringValue: key))
        }
      }
      let expected = try JSONValue(parsing: json.encode(Value(key: key))).object?.keys.first
      let pair = try text(Value(key: key), .init(keyEncoding: .convertToSnakeCase))
      #expect(pair.removingPercentEncoding == "\(expected ?? "")=1")
    }
    #expect(try text(["oneTwo": 1], .init(keyEncoding: .capitalized)) == "OneTwo=1")
    #expect(try text(["oneTwo": 1], .init(keyEncoding: .custom { "\($0)?" })) == "oneTwo?=1")
  }

  @Test("a superclass writes into the object of its class, or into a member if a key is given")
  func containers() throws {
    class Base: Encodable { var a = 1 }
    final class Derived: Base {
      private enum Keys: CodingKey { case b, list, base }
      override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(2, forKey: .b)
        try super.encode(to: container.superEncoder())
        try super.encode(to: container.superEncoder(forKey: .base))
        var list = container.nestedUnkeyedContainer(forKey: .list)
        try list.encode(3)
        var inner = list.nestedContainer(keyedBy: Keys.self)
        try inner.encode(4, forKey: .b)
        #expect(list.count == 2)
      }
    }
    #expect(
      try text(Derived()).removingPercentEncoding == "a=1&b=2&base[a]=1&list[][b]=4&list[]=3")
  }

  @Test("a class and its superclass may write into the same nested container")
  func sharedContainers() throws {
    struct Parts: Encodable {
      private enum Keys: CodingKey { case a, b, c, object, list }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        for key in [Keys.a, .b] {
          var object = container.nestedContainer(keyedBy: Keys.self, forKey: .object)
          try object.encode(1, forKey: key)
          var list = container.nestedUnkeyedContainer(forKey: .list)
          try list.encode(key.stringValue)
        }
        try container.encode(1, forKey: .c)
        try container.encode(2, forKey: .c)
      }
    }
    #expect(try text(Parts()).removingPercentEncoding == "c=2&list[]=a&list[]=b&object[a]=1&object[b]=1")
  }

  @Test("a superclass writes into an element of an array, or into a member that has been written before")
  func superEncoders() throws {
    class Base: Encodable { var a = 1 }
    final class Derived: Base {
      private enum Keys: CodingKey { case b, base, list }
      override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        var base = container.nestedContainer(keyedBy: Keys.self, forKey: .base)
        try base.encode(2, forKey: .b)
        try super.encode(to: container.superEncoder(forKey: .base))
        var list = container.nestedUnkeyedContainer(forKey: .list)
        try list.encode(3)
        try super.encode(to: list.superEncoder())
      }
    }
    #expect(
      try text(Derived()).removingPercentEncoding == "base[a]=1&base[b]=2&list[][a]=1&list[]=3")
  }

  @Test("the format of keys applies to the whole key of a pair")
  func wholeKeys() throws {
    let nested = ["oneTwo": ["threeFour": 1]]
    #expect(
      try text(nested, .init(keyEncoding: .capitalized)).removingPercentEncoding == "OneTwo[threeFour]=1")
    let marked = URLEncodedFormEncoder(keyEncoding: .custom { "<\($0)>" })
    #expect(try text(nested, marked).removingPercentEncoding == "<oneTwo[threeFour]>=1")
  }

  @Test("a date is encoded in seconds since 2001 by default")
  func defaultDate() throws {
    #expect(try text(["d": Date(timeIntervalSinceReferenceDate: 1.5)]) == "d=1.5")
  }

  @Test("the coding path of an array's element ends with its index, from 0")
  func codingPaths() throws {
    struct Element: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(encoder.codingPath.map(\.stringValue).joined(separator: "."))
      }
    }
    #expect(try text(["a": [Element(), Element()]]).removingPercentEncoding == "a[]=a.0&a[]=a.1")
  }

  @Test("values without pairs add no separators")
  func empty() throws {
    #expect(try text(["a": [Int](), "b": [1]]) == "b%5B%5D=1")
    #expect(try text([String: Int]()) == "")
  }

  @Test("a value without keys is refused")
  func roots() {
    for value: any Encodable in [1, "a", [1], Int?.none as Int?] {
      #expect(throws: URLEncodedFormEncoder.Error.invalidRootObject("\(value)")) {
        try URLEncodedFormEncoder().encode(value) as Data
      }
    }
  }

  @Test("a date that is not a number is refused as well")
  func dateWithoutTime() {
    #expect(throws: URLEncodedFormEncoder.Error.invalidRootObject("nan")) {
      try URLEncodedFormEncoder().encode(Date(timeIntervalSinceReferenceDate: .nan)) as Data
    }
  }

  @Test("a value that contains itself is refused")
  func cycle() {
    final class Node: Encodable {
      var next: Node?
    }
    let node = Node()
    node.next = node
    defer { node.next = nil }
    #expect(throws: URLEncodedFormEncoder.Error.nestedTooDeep(limit: 512, path: "next.next.next")) {
      try URLEncodedFormEncoder().encode(node) as String
    }
  }

  @Test("a value may be nested 512 levels deep", arguments: [512, 513])
  func deepest(depth: Int) throws {
    struct Level: Encodable {
      let rest: Int
      private enum Keys: CodingKey { case n }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        if rest > 1 { try container.encode(Level(rest: rest - 1), forKey: .n) }
      }
    }
    let encoded = Result { try URLEncodedFormEncoder().encode(Level(rest: depth)) as String }
    #expect(((try? encoded.get()) == nil) == (depth > 512))
  }
}
