/// Encodes the members of an object.
struct KeyedFormContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: FormNodeEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  private func member(_ key: any CodingKey) -> FormNodeEncoder {
    encoder.nested(encoder.node.addMember(key.stringValue), key)
  }

  /// Returns the encoder of the member that has been encoded for the key: a class and its superclass may both request
  /// a container for it.
  private func existingMember(_ key: any CodingKey) -> FormNodeEncoder {
    encoder.node.member(key.stringValue).map { encoder.nested($0, key) } ?? member(key)
  }

  func encodeNil(forKey key: Key) { member(key).encodeNil() }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try member(key).encode(value) }

  private func encodeOrNil(_ value: (some Encodable)?, _ key: Key) throws {
    if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
  }

  // The default implementations would omit `nil` whatever `nilEncoding` is, and Swift prefers them to a
  // generic method.
  func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encodeOrNil(value, key) }
  func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encodeOrNil(value, key) }
  func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encodeOrNil(value, key) }
  func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try encodeOrNil(value, key) }
  func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encodeOrNil(value, key) }
  func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try encodeOrNil(value, key) }
  func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try encodeOrNil(value, key) }
  func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try encodeOrNil(value, key) }
  func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encodeOrNil(value, key) }
  func encodeIfPresent(_ value: Int128?, forKey key: Key) throws { try encodeOrNil(value, key) }
  func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try encodeOrNil(value, key) }
  func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try encodeOrNil(value, key) }
  func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try encodeOrNil(value, key) }
  func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try encodeOrNil(value, key) }
  func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try encodeOrNil(value, key) }
  func encodeIfPresent(_ value: UInt128?, forKey key: Key) throws { try encodeOrNil(value, key) }
  func encodeIfPresent(_ value: (some Encodable)?, forKey key: Key) throws { try encodeOrNil(value, key) }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    existingMember(key).container(keyedBy: keyType)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    existingMember(key).unkeyedContainer()
  }

  // As in Alamofire, a superclass writes into the object of its class.
  func superEncoder() -> any Encoder { encoder }

  func superEncoder(forKey key: Key) -> any Encoder { existingMember(key) }
}

/// Encodes the elements of an array.
struct UnkeyedFormContainer: UnkeyedEncodingContainer {
  let encoder: FormNodeEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.node.elementCount }

  private func element() -> FormNodeEncoder {
    let key = FormKey(intValue: count)
    return encoder.nested(encoder.node.addElement(), key)
  }

  func encodeNil() { element().encodeNil() }

  func encode<T: Encodable>(_ value: T) throws { try element().encode(value) }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    element().container(keyedBy: keyType)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { element().unkeyedContainer() }

  func superEncoder() -> any Encoder { element() }
}

/// Encodes a single value.
struct SingleFormContainer: SingleValueEncodingContainer {
  let encoder: FormNodeEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil() { encoder.encodeNil() }

  func encode<T: Encodable>(_ value: T) throws { try encoder.encode(value) }
}
