import Foundation

extension JSONEncoder {
  /// Encodes a value with its keys sorted.
  ///
  /// JSON leaves their order open, and Foundation's encoder changes it from one call to the next: equal requests would not be
  /// equal, and a recorded one not be found again. A subclass is taken as it is.
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
