import Foundation
@testable import NetworkCoreTestSupport

extension SplitMix64 {
  private static let pieces = [
    "", "a", "A", "0", "-1", "7", ".", "..", "/", "?", "&", "=", "#", "%", "%41", "%zz", "+", " ", "\"", "\\",
    "'", "[",
    "]", "[]", "{", "}", ":", ";", "@", "\r", "\n", "\r\n", "\u{0}", "\t", "\u{7F}", "\u{301}", "é", "日本",
    "😃👍🏻",
    "\u{FEFF}", "\u{202E}", "http://", "https://h", "//", "*", "~", "null", "true", "--", "boundary",
  ]

  /// A short text of characters that code often forgets.
  mutating func text(upTo count: Int = 6) -> String {
    (0..<below(count + 1)).map { _ in pick(Self.pieces) }.joined()
  }

  /// A name that is mostly typical for an API.
  mutating func name() -> String {
    oneIn(4) ? text(upTo: 2) : pick(["a", "b", "c", "id", "name", "first_name", "firstName", "0", "1"])
  }

  /// Random bytes, some of which are text.
  mutating func bytes(upTo count: Int) -> Data {
    oneIn(2)
      ? Data(text(upTo: count).utf8)
      : Data((0..<below(count + 1)).map { _ in UInt8.random(in: 0...255, using: &self) })
  }

  /// A JSON value with at most this number of levels.
  mutating func json(depth: Int = 4) -> JSONValue {
    switch below(depth > 0 ? 8 : 5) {
    case 0: .null
    case 1: .bool(oneIn(2))
    case 2: .int(pick([0, 1, -1, .max, .min, 1 << 53, below(1000)]))
    case 3: .double(pick([0.5, -0.25, 1e300, 1e-300, 12345.75]))
    case 4: .string(text())
    case 5: .array((0..<below(4)).map { _ in json(depth: depth - 1) })
    default:
      .object([String: JSONValue]((0..<below(5)).map { _ in (name(), json(depth: depth - 1)) }) { $1 })
    }
  }
}

extension JSONValue {
  /// The value encoded as JSON.
  var text: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .int(let value): "\(value)"
    case .double(let value): "\(value)"
    case .string(let value): Self.quoted(value)
    case .array(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
    case .object(let members):
      "{"
        + members.sorted { $0.key < $1.key }.map { Self.quoted($0.key) + ":" + $0.value.text }
        .joined(separator: ",") + "}"
    }
  }

  private static func quoted(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
      switch scalar {
      case "\"", "\\": "\\\(scalar)"
      case "\u{0}"..<" ":
        "\\u" + String(repeating: "0", count: 4 - String(scalar.value, radix: 16).count)
          + String(scalar.value, radix: 16)
      default: String(scalar)
      }
    }
    return "\"" + escaped.joined() + "\""
  }
}
