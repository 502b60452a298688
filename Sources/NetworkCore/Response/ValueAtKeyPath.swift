import Foundation

/// Decodes what stands at the end of a path of names, in one go with the rest of the text.
///
/// Taking the value out of a tree of Foundation objects and writing it as JSON again takes seven times as long.
struct ValueAtKeyPath<Value: Decodable>: DecodableWithConfiguration {
  /// What decoding the value gave, `nil` where nothing stands there.
  let value: Result<Value, any Error>?

  init(from decoder: any Decoder, configuration names: [Name]) throws {
    guard let last = names.last else {
      value = Result { try decoder.singleValueContainer().decode(Value.self) }
      return
    }
    var container = try? decoder.container(keyedBy: Name.self)
    for name in names.dropLast() {
      container = try? container?.nestedContainer(keyedBy: Name.self, forKey: name)
    }
    guard let container, container.contains(last) else {
      value = nil
      return
    }
    value = Result { try container.decode(Value.self, forKey: last) }
  }
}

/// Any member name of a JSON object.
struct Name: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

extension JSONDecoder {
  /// A member name as the decoder's containers show it.
  ///
  /// A `keyDecodingStrategy` applies to the names of a key path too; what it makes of one is what it makes of the only
  /// name of an object.
  func converted(_ name: String) throws -> Name {
    if case .useDefaultKeys = keyDecodingStrategy { return Name(stringValue: name) }
    let probe = try decode(OnlyName.self, from: JSONEncoder().encode([name: 0]))
    return probe.name ?? Name(stringValue: name)
  }
}

private struct OnlyName: Decodable {
  let name: Name?

  init(from decoder: any Decoder) throws {
    name = try decoder.container(keyedBy: Name.self).allKeys.first
  }
}
