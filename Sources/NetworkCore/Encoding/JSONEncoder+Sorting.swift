import Foundation

extension JSONEncoder {
  /// Encodes a value with sorted keys.
  ///
  /// JSON does not define the order of keys, and Foundation's encoder changes it from call to call. Without
  /// sorting, requests with the same value would differ, and a recorded request would not be found. A
  /// subclass is used unchanged.
  func encodeSorted(_ value: some Encodable) throws -> Data {
    guard type(of: self) == JSONEncoder.self, !outputFormatting.contains(.sortedKeys) else {
      return try encode(value)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = outputFormatting.union(.sortedKeys)
    encoder.dateEncodingStrategy = dateEncodingStrategy
    encoder.dataEncodingStrategy = dataEncodingStrategy
    encoder.nonConformingFloatEncodingStrategy = nonConformingFloatEncodingStrategy
    encoder.keyEncodingStrategy = keyEncodingStrategy
    encoder.userInfo = userInfo
    return try encoder.encode(value)
  }
}
