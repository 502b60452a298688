/// Reads values from JSON and writes them, with ObjectMapper's names for `Mappable`'s initializers and
/// methods.
///
/// ```swift
/// let user = Mapper<User>().map(JSON: ["name": "ash"])
/// ```
public struct Mapper<N: Mappable>: Sendable {
  /// Creates a mapper.
  public init() {}

  /// Reads a value.
  ///
  /// - Parameter JSON: the object.
  /// - Returns: the value; `nil` if its type refuses the object.
  public func map(JSON: [String: Any]) -> N? { N(JSON: JSON) }

  /// Reads a value from text.
  ///
  /// - Parameter JSONString: the text of an object.
  /// - Returns: the value; `nil` if the text is not a JSON object or the type refuses it.
  public func map(JSONString: String) -> N? { N(JSONString: JSONString) }

  /// Reads values.
  ///
  /// - Parameter JSONArray: the objects.
  /// - Returns: the values, without objects that the type refuses.
  public func mapArray(JSONArray: [[String: Any]]) -> [N] { JSONArray.compactMap { N(JSON: $0) } }

  /// Writes a value.
  ///
  /// - Parameter object: the value.
  /// - Returns: the object; see `Mappable.toJSON()`.
  public func toJSON(_ object: N) -> [String: Any] { object.toJSON() }

  /// Writes values.
  ///
  /// - Parameter array: the values.
  /// - Returns: the objects.
  public func toJSONArray(_ array: [N]) -> [[String: Any]] { array.map { $0.toJSON() } }

  /// Writes a value as text.
  ///
  /// - Parameters:
  ///   - object: the value.
  ///   - prettyPrint: whether to indent the text.
  /// - Returns: the text; see `Mappable.toJSONString(prettyPrint:)`.
  public func toJSONString(_ object: N, prettyPrint: Bool = false) -> String? {
    object.toJSONString(prettyPrint: prettyPrint)
  }
}
