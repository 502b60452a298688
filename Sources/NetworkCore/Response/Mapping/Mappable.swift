import Foundation

/// A type that lists its members once, to be read from JSON and written to it.
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
/// A member whose key is missing keeps its value, and so does one that is not optional where the value does not fit.
public protocol Mappable {
  /// Makes a value to be filled by `mapping(map:)`; `nil` refuses the object.
  ///
  /// - Parameter map: the JSON object, for looking at before anything is made.
  init?(map: Map)

  /// Reads or writes every member with `<-`.
  ///
  /// - Parameter map: where to read from or write to.
  mutating func mapping(map: Map)
}

extension Mappable {
  /// Reads a value from a JSON object; there is none where `init(map:)` refuses.
  ///
  /// - Parameter JSON: the object.
  public init?(JSON: [String: Any]) {
    let map = Map(reading: JSON)
    guard var value = Self(map: map) else { return nil }
    value.mapping(map: map)
    self = value
  }

  /// Reads a value from the text of a JSON object; there is none where it is something else or `init(map:)` refuses.
  ///
  /// - Parameter JSONString: the text.
  public init?(JSONString: String) {
    let root = try? JSONSerialization.jsonObject(with: Data(JSONString.utf8))
    guard let object = root as? [String: Any] else { return nil }
    self.init(JSON: object)
  }

  /// The value as a JSON object.
  ///
  /// - Returns: the object; members that are `nil`, or that JSON cannot say, are left out.
  public func toJSON() -> [String: Any] {
    let map = Map(writing: ())
    var copy = self
    copy.mapping(map: map)
    return map.JSON
  }

  /// The value as the text of a JSON object.
  ///
  /// - Parameter prettyPrint: whether it is indented.
  /// - Returns: the text, keys sorted; `nil` where a member holds a number that JSON cannot say.
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
