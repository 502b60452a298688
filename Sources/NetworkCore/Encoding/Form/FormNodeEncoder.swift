import Foundation

/// An encoder that writes a value into a `FormNode`.
struct FormNodeEncoder: Encoder {
  /// The maximum depth, because a value that contains itself would overflow the stack; `JSONDecoder` has the
  /// same limit.
  static let depthLimit = 512

  let node: FormNode
  let options: URLEncodedFormEncoder
  var codingPath: [any CodingKey] = []
  var depth = 0

  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node.becomeObject()
    return KeyedEncodingContainer(KeyedFormContainer(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.becomeArray()
    return UnkeyedFormContainer(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleFormContainer(encoder: self)
  }

  /// Returns an encoder for a nested value.
  func nested(_ node: FormNode, _ key: any CodingKey) -> FormNodeEncoder {
    FormNodeEncoder(node: node, options: options, codingPath: codingPath + [key], depth: depth)
  }

  func encodeNil() {
    node.content = options.nilEncoding.encode().map(FormNode.Content.text) ?? .nothing
  }

  func encode(_ value: some Encodable) throws {
    if let text = try text(of: value) {
      node.content = .text(text)
      return
    }
    guard depth < Self.depthLimit else {
      let path = codingPath.prefix(3).map(\.stringValue).joined(separator: ".")
      throw URLEncodedFormEncoder.Error.nestedTooDeep(limit: Self.depthLimit, path: path)
    }
    var inner = self
    inner.depth += 1
    try value.encode(to: inner)
  }

  /// Returns the text of a scalar value; `nil` if the value must encode itself.
  private func text(of value: any Encodable) throws -> String? {
    switch value {
    case let value as String: value
    case let value as Bool: options.boolEncoding.encode(value)
    case let value as any BinaryInteger: "\(value)"
    case let value as any BinaryFloatingPoint: "\(value)"
    case let value as Decimal: "\(value)"
    case let value as Date: try options.dateEncoding.encode(value)
    case let value as Data: try options.dataEncoding.encode(value)
    case let value as URL: value.absoluteString
    default: nil
    }
  }
}

/// A key for the index of an array element.
struct FormKey: CodingKey {
  let stringValue: String
  var intValue: Int? { Int(stringValue) }

  init(stringValue: String) { self.stringValue = stringValue }
  init(intValue: Int) { stringValue = "\(intValue)" }
}
