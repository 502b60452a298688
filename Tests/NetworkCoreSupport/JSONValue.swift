import Foundation

/// A JSON text as a tree that tests can traverse and compare.
@dynamicMemberLookup
enum JSONValue: Sendable, Hashable {
  case null
  case bool(Bool)
  case int(Int)
  case double(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  /// The member of an object; `.null` if there is none.
  subscript(dynamicMember name: String) -> JSONValue { self[name] }

  subscript(name: String) -> JSONValue {
    guard case .object(let members) = self else { return .null }
    return members[name] ?? .null
  }

  var string: String? {
    if case .string(let value) = self { value } else { nil }
  }
  var int: Int? {
    if case .int(let value) = self { value } else { nil }
  }
  var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }
  var array: [JSONValue]? {
    if case .array(let value) = self { value } else { nil }
  }
  var object: [String: JSONValue]? {
    if case .object(let value) = self { value } else { nil }
  }

  /// The members of an object as parameters; `nil` for anything else.
  var asParameters: [String: Any]? { object?.mapValues(\.asAny) }

  /// The value with the conventions of the vectors: `{"$double": 1}` is a `Double` and so on (see the
  /// vectors' README).
  var asAny: Any {
    switch self {
    case .null: NSNull()
    case .bool(let value): value
    case .int(let value): value
    case .double(let value): value
    case .string(let value): value
    case .array(let elements): elements.map(\.asAny)
    case .object(let members): special(members) ?? members.mapValues(\.asAny)
    }
  }

  private func special(_ members: [String: JSONValue]) -> Any? {
    guard members.count == 1, let (name, value) = members.first else { return nil }
    switch (name, value) {
    case ("$double", .int(let number)): return Double(number)
    case ("$double", .double(let number)): return number
    case ("$nsint", .int(let number)): return NSNumber(value: number)
    case ("$nsdouble", .int(let number)): return NSNumber(value: Double(number))
    case ("$nsdouble", .double(let number)): return NSNumber(value: number)
    case ("$nsbool", .bool(let value)): return NSNumber(value: value)
    case ("$invalid", _): return Unencodable()
    case ("$bytes", .array(let bytes)): return Data(bytes.compactMap { $0.int.map(UInt8.init) })
    case ("$repeat", .array(let parts)):
      // [text, count] or [prefix, text, count]
      let texts = parts.compactMap(\.string)
      let repeated = String(repeating: texts.last ?? "", count: parts.last?.int ?? 0)
      return texts.dropLast().joined() + repeated
    default: return nil
    }
  }

  private struct Unencodable {}
}

extension JSONValue: Decodable {
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int.self) {
      self = .int(value)
    } else if let value = try? container.decode(Double.self) {
      self = .double(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  init(parsing data: Data) throws {
    self = try JSONDecoder().decode(JSONValue.self, from: data)
  }

  /// Creates the tree of a value that `JSONSerialization` can write.
  init(any value: Any) throws {
    try self.init(
      parsing: JSONSerialization.data(withJSONObject: value, options: .fragmentsAllowed))
  }
}
