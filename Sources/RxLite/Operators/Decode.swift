#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Makes values of data; JSON and property list decoders are ready to use.
public protocol DataDecoder {
  /// Makes a value.
  ///
  /// - Parameters:
  ///   - type: the type of the value.
  ///   - data: the encoded value.
  /// - Returns: the value.
  /// - Throws: what is wrong with the data.
  func decode<Item: Decodable>(_ type: Item.Type, from data: Data) throws -> Item
}

extension JSONDecoder: DataDecoder {}
extension PropertyListDecoder: DataDecoder {}

extension ObservableType where Element == Data {
  /// Decodes each element.
  ///
  /// - Parameters:
  ///   - type: the type to make.
  ///   - decoder: makes it; what it throws ends the sequence with that error.
  /// - Returns: the sequence of values.
  public func decode<Item: Decodable, Decoder: DataDecoder>(
    type: Item.Type, decoder: Decoder
  ) -> Observable<Item> {
    map { try decoder.decode(type, from: $0) }
  }
}
