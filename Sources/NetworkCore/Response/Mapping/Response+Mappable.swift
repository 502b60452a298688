public import Foundation

/// An object's type refused the JSON that it was to be made of.
public struct MappingError: Error, Sendable, Hashable {
  /// The type.
  public let type: String
}

extension MappingError: LocalizedError {
  /// What happened, in one line.
  public var errorDescription: String? { "\(type).init(map:) refused the JSON object." }
}

extension Response {
  /// Makes a value of the JSON object that is the body, or stands at a key path of it.
  ///
  /// - Parameters:
  ///   - type: what to make.
  ///   - keyPath: names and, in arrays, numbers, joined by dots; `nil` for the whole body.
  /// - Returns: the value.
  /// - Throws: `NetworkError.jsonMapping` where there is no object, `.objectMapping` with a `MappingError` where the type
  ///   refuses it.
  public func mapObject<Value: Mappable>(type: Value.Type, atKeyPath keyPath: String? = nil) throws -> Value {
    guard let object = try json(atKeyPath: keyPath) as? [String: Any] else {
      throw NetworkError.jsonMapping(self)
    }
    guard let value = Value(JSON: object) else {
      throw NetworkError.objectMapping(MappingError(type: "\(type)"), self)
    }
    return value
  }

  /// Makes values of the JSON objects in the array that is the body, or stands at a key path of it.
  ///
  /// - Parameters:
  ///   - type: what to make; objects that it refuses are left out.
  ///   - keyPath: names and, in arrays, numbers, joined by dots; `nil` for the whole body.
  /// - Returns: the values.
  /// - Throws: `NetworkError.jsonMapping` where there is no array of objects.
  public func mapArray<Value: Mappable>(type: Value.Type, atKeyPath keyPath: String? = nil) throws -> [Value]
  {
    guard let objects = try json(atKeyPath: keyPath) as? [[String: Any]] else {
      throw NetworkError.jsonMapping(self)
    }
    return objects.compactMap { Value(JSON: $0) }
  }

  /// The same as `mapObject(type:atKeyPath:)`.
  ///
  /// - Parameters:
  ///   - type: what to make.
  ///   - keyPath: names and, in arrays, numbers, joined by dots; `nil` for the whole body.
  /// - Returns: the value.
  /// - Throws: see `mapObject(type:atKeyPath:)`.
  public func mapObject<Value: Mappable>(_ type: Value.Type, atKeyPath keyPath: String? = nil) throws -> Value
  {
    try mapObject(type: type, atKeyPath: keyPath)
  }

  /// The same as `mapArray(type:atKeyPath:)`.
  ///
  /// - Parameters:
  ///   - type: what to make; objects that it refuses are left out.
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
