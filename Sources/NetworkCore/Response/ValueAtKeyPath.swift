import Foundation

/// Decodes the value at the end of a path of names, in one pass over the text.
///
/// Extracting the value from a tree of Foundation objects and writing it as JSON again takes seven times as
/// long.
struct ValueAtKeyPath<Value: Decodable>: DecodableWithConfiguration {
  /// The result of decoding the value; `nil` if there is no value.
  let value: Result<Value, any Error>?

  init(from decoder: any Decoder, configuration names: [AnyCodingKey]) throws {
    guard let last = names.last else {
      value = Result { try decoder.singleValueContainer().decode(Value.self) }
      return
    }
    var container = try? decoder.container(keyedBy: AnyCodingKey.self)
    for name in names.dropLast() {
      container = try? container?.nestedContainer(keyedBy: AnyCodingKey.self, forKey: name)
    }
    guard let container, container.contains(last) else {
      value = nil
      return
    }
    value = Result { try container.decode(Value.self, forKey: last) }
  }
}

/// Any member name of a JSON object.
struct AnyCodingKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

extension JSONDecoder {
  /// Returns a member name in the form that the decoder's containers use.
  ///
  /// A `keyDecodingStrategy` also converts the names of a key path. To find the converted name, this method
  /// decodes an object that has only that name.
  func converted(_ name: String) throws -> AnyCodingKey {
    if case .useDefaultKeys = keyDecodingStrategy { return AnyCodingKey(stringValue: name) }
    let probe = try decode(SingleKeyObject.self, from: JSONEncoder().encode([name: 0]))
    return probe.name ?? AnyCodingKey(stringValue: name)
  }
}

/// An object with one member, of which only the name is decoded.
private struct SingleKeyObject: Decodable {
  let name: AnyCodingKey?

  init(from decoder: any Decoder) throws {
    name = try decoder.container(keyedBy: AnyCodingKey.self).allKeys.first
  }
}
