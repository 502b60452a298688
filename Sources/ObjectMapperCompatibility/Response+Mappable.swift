public import Foundation

/// The error of a type that refused a JSON object.
public struct MappingError: Error, Sendable, Hashable {
  /// The name of the type.
  public let type: String
}

extension MappingError: LocalizedError {
  /// A description of the error in one line.
  public var errorDescription: String? { "\(type).init(map:) refused the JSON object." }
}

extension Response {
  /// Returns a value made from a JSON object: the body, or the object at a key path of the body.
  ///
  /// - Parameters:
  ///   - type: the type of the value.
  ///   - keyPath: names and, in arrays, numbers, joined by dots; `nil` for the whole body.
  /// - Returns: the value.
  /// - Throws: `NetworkError.jsonMapping` if there is no object; `.objectMapping` with a `MappingError` if
  ///   the type refuses it.
  public func mapObject<Value: Mappable>(type: Value.Type, atKeyPath keyPath: String? = nil) throws -> Value {
    guard let object = try json(atKeyPath: keyPath) as? [String: Any] else {
      throw NetworkError.jsonMapping(self)
    }
    guard let value = Value(JSON: object) else {
      throw NetworkError.objectMapping(MappingError(type: "\(type)"), self)
    }
    return value
  }

  /// Returns values made from an array of JSON objects: the body, or the array at a key path of the body.
  ///
  /// - Parameters:
  ///   - type: the type of the values; objects that it refuses are skipped.
  ///   - keyPath: names and, in arrays, numbers, joined by dots; `nil` for the whole body.
  /// - Returns: the values.
  /// - Throws: `NetworkError.jsonMapping` if there is no array of objects.
  public func mapArray<Value: Mappable>(type: Value.Type, atKeyPath keyPath: String? = nil) throws -> [Value]
  {
    guard let objects = try json(atKeyPath: keyPath) as? [[String: Any]] else {
      throw NetworkError.jsonMapping(self)
    }
    return objects.compactMap { Value(JSON: $0) }
  }

  /// Returns the same value as `mapObject(type:atKeyPath:)`.
  ///
  /// - Parameters:
  ///   - type: the type of the value.
  ///   - keyPath: names and, in arrays, numbers, joined by dots; `nil` for the whole body.
  /// - Returns: the value.
  /// - Throws: see `mapObject(type:atKeyPath:)`.
  public func mapObject<Value: Mappable>(_ type: Value.Type, atKeyPath keyPath: String? = nil) throws -> Value
  {
    try mapObject(type: type, atKeyPath: keyPath)
  }

  /// Returns the same values as `mapArray(type:atKeyPath:)`.
  ///
  /// - Parameters:
  ///   - type: the type of the values; objects that it refuses are skipped.
  ///   - keyPath: names and, in arrays, numbers, joined by dots; `nil` for the whole body.
  /// - Returns: the values.
  /// - Throws: see `mapArray(type:atKeyPath:)`.
  public func mapArray<Value: Mappable>(_ type: Value.Type, atKeyPath keyPath: String? = nil) throws
    -> [Value]
  {
    try mapArray(type: type, atKeyPath: keyPath)
  }

  private func json(atKeyPath keyPath: String?) throws -> Any? {
    let root = try mapJSON()
    let steps = keyPath.map { $0.split(separator: ".").map(String.init) } ?? []
    return steps.reduce(root as Any?) { ParameterTree.member($1, of: $0) }
  }
}
