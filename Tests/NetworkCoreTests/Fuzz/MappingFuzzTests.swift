import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import ObjectMapperCompatibility
import Testing

@Suite("Random responses")
struct MappingFuzzTests {
  /// A value that decodes any input.
  private struct AnyJSON: Decodable, Equatable {
    let value: JSONValue
    init(from decoder: any Decoder) throws { value = try JSONValue(from: decoder) }
  }

  private struct Record: Mappable {
    var texts: [String: String] = [:]
    var numbers: [Int8?] = []
    var unsigned: UInt64?
    var small: Float?
    var flag: Bool?
    var date: Date?
    var any: Any?
    init?(map: Map) {}
    mutating func mapping(map: Map) {
      texts <- map["a"]
      numbers <- map["b.0"]
      unsigned <- map["id"]
      small <- map["c.a"]
      flag <- map["name", nested: false]
      date <- (map["1"], DateTransform())
      any <- map["..", delimiter: "."]
    }
  }

  private func response(_ text: String) -> Response { Response(statusCode: 200, data: Data(text.utf8)) }

  /// The value at a path of names.
  private func value(at path: [String], of root: JSONValue) -> JSONValue? {
    var value: JSONValue? = root
    for name in path { value = value?.object?[name] }
    return value
  }

  @Test("the value at a key path is found, and no other value")
  func keyPaths() {
    Fuzz.run("key paths") { random in
      let tree = random.json()
      let names = (0..<random.below(4)).map { _ in random.name() }
      let keyPath = names.joined(separator: ".")
      let response = response(tree.text)
      let steps = keyPath.split(separator: ".").map(String.init)
      let expected = value(at: steps, of: tree)
      let found = try? response.map(AnyJSON.self, atKeyPath: keyPath).value
      try require(
        found == expected, "\(keyPath.debugDescription) of \(tree.text) gave \(String(describing: found))")
      let text = try? response.mapString(atKeyPath: keyPath)
      try require(
        text == expected?.string, "\(keyPath.debugDescription) of \(tree.text) is \(text ?? "no text")")
    }
  }

  @Test("a complete body decodes to the written value")
  func bodies() {
    Fuzz.run("bodies") { random in
      let tree = random.json()
      let response = response(tree.text)
      try require(try response.map(AnyJSON.self).value == tree, "\(tree.text) was read as something else")
      // Foundation's writer, which the comparison uses, drops byte order marks.
      guard !tree.text.unicodeScalars.contains("\u{FEFF}") else { return }
      try require(try JSONValue(any: response.mapJSON()) == tree, "\(tree.text) was taken apart wrongly")
    }
  }

  @Test("a body that is not JSON is an error, and does not crash")
  func mangled() {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    Fuzz.run("mangled bodies") { random in
      var bytes = Array(random.json().text.utf8)
      for _ in 0..<random.below(4) where !bytes.isEmpty {
        switch random.below(4) {
        case 0: bytes[random.below(bytes.count)] = .random(in: 0...255, using: &random)
        case 1: bytes.remove(at: random.below(bytes.count))
        case 2:
          let number = random.pick([
            "1e999", "-1e999", "1E+", "00", "12345678901234567890123", "-0.0", "1e-400", "NaN",
          ])
          bytes.insert(contentsOf: Array(number.utf8), at: random.below(bytes.count))
        default: bytes = Array(bytes.prefix(random.below(bytes.count)))
        }
      }
      let response = Response(statusCode: random.below(1_000), data: Data(bytes))
      let keyPath =
        random.oneIn(3) ? nil : (0..<random.below(4)).map { _ in random.name() }.joined(separator: ".")
      let fails = random.oneIn(2)
      let uses: [() throws -> Void] = [
        { _ = try response.mapJSON(failsOnEmptyData: fails) },
        { _ = try response.mapString(atKeyPath: keyPath) },
        {
          _ = try response.map(
            [String: Int].self, atKeyPath: keyPath, using: decoder, failsOnEmptyData: fails)
        },
        { _ = try response.map(AnyJSON.self, atKeyPath: keyPath, failsOnEmptyData: fails) },
        { _ = try response.mapObject(type: Record.self, atKeyPath: keyPath).toJSON() },
        { _ = try response.mapArray(type: Record.self, atKeyPath: keyPath) },
        { _ = try response.filterSuccessfulStatusAndRedirectCodes() },
      ]
      for use in uses {
        do {
          try use()
        } catch is NetworkError {
          continue
        }
      }
    }
  }

  @Test("the value of a map at a path is the value that the path leads to")
  func places() {
    Fuzz.run("places of a map") { random in
      let members = [String: JSONValue]((0..<4).map { _ in (random.name(), random.json()) }) { $1 }
      let steps = (0..<random.below(4)).map { _ in random.oneIn(8) ? "" : random.name() }
      let keyPath = steps.joined(separator: ".")
      struct KeyPathProbe: Mappable {
        nonisolated(unsafe) static var keyPath = ""
        var found: Any?
        init?(map: Map) { found = map[KeyPathProbe.keyPath].currentValue }
        mutating func mapping(map: Map) {}
      }
      KeyPathProbe.keyPath = keyPath
      guard let probe = KeyPathProbe(JSON: members.mapValues(\.plain)) else { throw FuzzFailure("refused") }
      var expected: JSONValue? = .object(members)
      for step in keyPath.components(separatedBy: ".") {
        expected =
          switch expected {
          case .object(let members): members[step]
          case .array(let elements): Int(step).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
          default: nil
          }
      }
      let found = try probe.found.map { try JSONValue(any: $0) }
      try require(found == expected, "\(keyPath.debugDescription) of \(JSONValue.object(members).text)")
    }
  }
}

extension JSONValue {
  /// The value as `JSONSerialization` would return it, without the vectors' special members.
  fileprivate var plain: Any {
    switch self {
    case .array(let elements): elements.map(\.plain)
    case .object(let members): members.mapValues(\.plain)
    default: asAny
    }
  }
}
