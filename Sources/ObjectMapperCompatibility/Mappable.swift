import Foundation

/// A type that lists its members once, for both reading from JSON and writing to JSON.
///
/// ```swift
/// struct User: Mappable {
///   var name = ""
///   var city: String?
///   var joined: Date?
///
///   init?(map: Map) {}
///
///   mutating func mapping(map: Map) {
///     name <- map["name"]
///     city <- map["address.city"]
///     joined <- (map["joined"], ISO8601DateTransform())
///   }
/// }
///
/// let users = try response.mapArray(type: User.self, atKeyPath: "users")
/// ```
///
/// A member keeps its value if its key is missing. A member that is not optional also keeps its value if the
/// value in the JSON does not match.
public protocol Mappable {
  /// Creates a value that `mapping(map:)` then fills; returns `nil` to refuse the object.
  ///
  /// - Parameter map: the JSON object, which can be inspected to decide.
  init?(map: Map)

  /// Reads or writes every member with `<-`.
  ///
  /// - Parameter map: the JSON object to read or write.
  mutating func mapping(map: Map)
}

extension Mappable {
  /// Creates a value from a JSON object; `nil` if `init(map:)` refuses the object.
  ///
  /// - Parameter JSON: the object.
  public init?(JSON: [String: Any]) {
    let map = Map(reading: JSON)
    guard var value = Self(map: map) else { return nil }
    value.mapping(map: map)
    self = value
  }

  /// Creates a value from the text of a JSON object; `nil` if it is not an object or `init(map:)` refuses it.
  ///
  /// - Parameter JSONString: the text.
  public init?(JSONString: String) {
    let root = try? JSONSerialization.jsonObject(with: Data(JSONString.utf8))
    guard let object = root as? [String: Any] else { return nil }
    self.init(JSON: object)
  }

  /// Returns the value as a JSON object.
  ///
  /// - Returns: the object, without members that are `nil` or that JSON cannot represent.
  public func toJSON() -> [String: Any] {
    let map = Map(writing: ())
    var copy = self
    copy.mapping(map: map)
    return map.JSON
  }

  /// Returns the value as the text of a JSON object.
  ///
  /// - Parameter prettyPrint: whether to indent the text.
  /// - Returns: the text, with sorted keys; `nil` if JSON cannot represent a number in it, or it is nested
  ///   too deeply.
  public func toJSONString(prettyPrint: Bool = false) -> String? {
    let options: JSONSerialization.WritingOptions = prettyPrint ? [.sortedKeys, .prettyPrinted] : .sortedKeys
    let object = toJSON()
    guard (try? ParameterTree.checkDepth(object)) != nil, JSONSerialization.isValidJSONObject(object) else {
      return nil
    }
    let data = try? JSONSerialization.data(withJSONObject: object, options: options)
    return data.map { String(decoding: $0, as: UTF8.self) }
  }
}
