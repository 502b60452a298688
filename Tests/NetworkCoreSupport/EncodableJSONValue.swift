import Foundation

/// A JSON value that encodes itself with the conventions of the vectors: `{"$date_since_reference": 1}` as a
/// `Date` and so on.
struct EncodableJSONValue: Encodable {
  let value: JSONValue

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  func encode(to encoder: any Encoder) throws {
    switch value {
    case .object(let members):
      if let special = Self.special(members) {
        var container = encoder.singleValueContainer()
        try container.encode(special)
        return
      }
      var container = encoder.container(keyedBy: Name.self)
      for (name, member) in members {
        let present = member.object?["$nil"] == nil ? EncodableJSONValue(value: member) : nil
        try container.encodeIfPresent(present, forKey: Name(stringValue: name))
      }
    case .array(let elements):
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(EncodableJSONValue(value: element)) }
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .bool(let scalar): try scalar.encode(to: encoder)
    case .int(let scalar): try scalar.encode(to: encoder)
    case .double(let scalar): try scalar.encode(to: encoder)
    case .string(let scalar): try scalar.encode(to: encoder)
    }
  }

  private static func special(_ members: [String: JSONValue]) -> (any Encodable)? {
    guard members.count == 1, let (name, value) = members.first else { return nil }
    switch (name, value) {
    case ("$double", .int(let number)): return Double(number)
    case ("$double", .double(let number)): return number
    case ("$data", .string(let text)): return Data(text.utf8)
    case ("$date_since_reference", .double(let seconds)): return Date(timeIntervalSinceReferenceDate: seconds)
    default: return nil
    }
  }
}
