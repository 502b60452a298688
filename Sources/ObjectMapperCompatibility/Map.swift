import Foundation

/// A position in a JSON object that is being read or written.
///
/// ```swift
/// map["address.city"]      // a member of a member
/// map["tags.0"]            // an element of an array
/// map["a.b", nested: false]  // the member whose name is "a.b"
/// ```
public struct Map {
  /// The direction of the mapping.
  public enum MappingType: Sendable {
    /// From JSON into a value.
    case fromJSON
    /// From a value into JSON.
    case toJSON
  }

  private final class MemberStorage {
    var members: [String: Any]

    init(_ members: [String: Any]) { self.members = members }
  }

  /// The direction of the mapping.
  public let mappingType: MappingType
  private let object: MemberStorage
  private let path: [String]

  private init(_ mappingType: MappingType, _ object: MemberStorage, path: [String]) {
    self.mappingType = mappingType
    self.object = object
    self.path = path
  }

  init(reading members: [String: Any]) {
    self.init(.fromJSON, MemberStorage(members), path: [])
  }

  init(writing: ()) {
    self.init(.toJSON, MemberStorage([:]), path: [])
  }

  /// The whole JSON object.
  public var JSON: [String: Any] { object.members }

  /// The value at this position; `nil` if there is none, `NSNull` for `null`.
  public var currentValue: Any? {
    path.reduce(object.members as Any?) { ParameterTree.member($1, of: $0) }
  }

  /// Whether there is a value at this position; `null` counts.
  public var isKeyPresent: Bool { currentValue != nil }

  /// Returns the position of a key, relative to this one.
  ///
  /// - Parameters:
  ///   - key: names and, in arrays, numbers, joined by the delimiter.
  ///   - nested: whether the key is a path. If not, it is the name of one member.
  ///   - delimiter: the separator between the steps of a path.
  /// - Returns: the position.
  public subscript(key: String, nested nested: Bool = true, delimiter delimiter: String = ".") -> Map {
    let steps = nested && !delimiter.isEmpty ? key.components(separatedBy: delimiter) : [key]
    return Map(mappingType, object, path: path + steps)
  }

  /// Returns the value at this position, converted to a type.
  ///
  /// - Returns: the value; `nil` if there is none or its type does not match.
  public func value<Value>(as type: Value.Type = Value.self) -> Value? {
    currentValue.flatMap { MapReader.read(type, from: $0) }
  }

  /// Writes a JSON value at this position, and creates the objects on the path if necessary.
  func write(_ value: Any?) {
    guard let value, let first = path.first else { return }
    func written(_ value: Any, at path: ArraySlice<String>, in existing: Any?) -> Any {
      guard let name = path.first else { return value }
      var members = existing as? [String: Any] ?? [:]
      members[name] = written(value, at: path.dropFirst(), in: members[name])
      return members
    }
    object.members[first] = written(value, at: path.dropFirst(), in: object.members[first])
  }
}

extension ParameterTree {
  /// Returns the member of an object or the element of an array; `nil` if there is none.
  static func member(_ step: String, of value: Any?) -> Any? {
    switch value {
    case let object as [String: Any]: return object[step]
    case let array as [Any]:
      guard let index = Int(step), array.indices.contains(index) else { return nil }
      return array[index]
    default: return nil
    }
  }
}
