import Foundation

/// A place in a JSON object that is being read or written.
///
/// ```swift
/// map["address.city"]      // a member of a member
/// map["tags.0"]            // an element of an array
/// map["a.b", nested: false]  // the member whose name is "a.b"
/// ```
public struct Map {
  /// Which way values go.
  public enum MappingType: Sendable {
    /// From JSON into a value.
    case fromJSON
    /// From a value into JSON.
    case toJSON
  }

  private final class Object {
    var members: [String: Any]

    init(_ members: [String: Any]) { self.members = members }
  }

  /// Which way values go.
  public let mappingType: MappingType
  private let object: Object
  private let path: [String]

  private init(_ mappingType: MappingType, _ object: Object, path: [String]) {
    self.mappingType = mappingType
    self.object = object
    self.path = path
  }

  init(reading members: [String: Any]) {
    self.init(.fromJSON, Object(members), path: [])
  }

  init(writing: ()) {
    self.init(.toJSON, Object([:]), path: [])
  }

  /// The whole object.
  public var JSON: [String: Any] { object.members }

  /// What stands at this place; `nil` where nothing does, `NSNull` where `null` does.
  public var currentValue: Any? {
    path.reduce(object.members as Any?) { ParameterTree.member($1, of: $0) }
  }

  /// Whether anything stands at this place, be it `null`.
  public var isKeyPresent: Bool { currentValue != nil }

  /// The place that a key leads to, from here.
  ///
  /// - Parameters:
  ///   - key: names and, in arrays, numbers, joined by the delimiter.
  ///   - nested: whether the key is a path; otherwise it is the name of one member.
  ///   - delimiter: what stands between the steps of a path.
  /// - Returns: the place.
  public subscript(key: String, nested nested: Bool = true, delimiter delimiter: String = ".") -> Map {
    let steps = nested && !delimiter.isEmpty ? key.components(separatedBy: delimiter) : [key]
    return Map(mappingType, object, path: path + steps)
  }

  /// What stands at this place, as a value of a type.
  ///
  /// - Returns: the value; `nil` where there is none, or none that fits.
  public func value<Value>(as type: Value.Type = Value.self) -> Value? {
    currentValue.flatMap { MapReader.read(type, from: $0) }
  }

  /// Puts a JSON value at this place; members on the way to it are made as needed.
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
  /// The member of an object or the element of an array, `nil` where there is none.
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
