#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A decoder of values from data, such as `JSONDecoder` and `PropertyListDecoder`.
public protocol DataDecoder {
  /// Decodes a value.
  ///
  /// - Parameters:
  ///   - type: the type of the value.
  ///   - data: the encoded value.
  /// - Returns: the value.
  /// - Throws: an error that says what is wrong with the data.
  func decode<Item: Decodable>(_ type: Item.Type, from data: Data) throws -> Item
}

extension JSONDecoder: DataDecoder {}
extension PropertyListDecoder: DataDecoder {}

extension ObservableType where Element == Data {
  /// Decodes each element.
  ///
  /// - Parameters:
  ///   - type: the type to decode.
  ///   - decoder: decodes the elements. An error that it throws ends the sequence.
  /// - Returns: the sequence of values.
  public func decode<Item: Decodable, Decoder: DataDecoder>(
    type: Item.Type, decoder: Decoder
  ) -> Observable<Item> {
    mapping { try decoder.decode(type, from: $0) }
  }
}
