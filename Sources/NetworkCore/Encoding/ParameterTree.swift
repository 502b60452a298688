import Foundation

/// Traverses parameters of any shape, as `[String: Any]` may contain them.
package enum ParameterTree {
  /// The maximum depth, because Foundation's writers recurse and would overflow the stack; its JSON limit is
  /// 512.
  static let depthLimit = 500

  /// Throws if dictionaries and arrays are nested too deeply.
  package static func checkDepth(_ root: Any) throws(ParameterEncodingError) {
    _ = try firstLeaf(of: root) { _ in false }
  }

  /// Returns the first leaf, in the order of sorted keys, for which `predicate` is `true`, with its path.
  ///
  /// A leaf is neither a dictionary nor an array.
  static func firstLeaf(
    of root: Any, where predicate: (Any) -> Bool
  ) throws(ParameterEncodingError) -> (path: String, value: Any)? {
    try firstLeaf(of: root, path: "", depth: 0, where: predicate)
  }

  /// Returns the description of a value, and `nan` for a date that is not a number, because Foundation's own
  /// description of such a date stops the process on Linux.
  static func text(of value: Any) -> String {
    let isDateWithoutTime = (value as? Date)?.timeIntervalSinceReferenceDate.isNaN == true
    return isDateWithoutTime ? "nan" : "\(value)"
  }

  private static func firstLeaf(
    of value: Any, path: @autoclosure () -> String, depth: Int, where predicate: (Any) -> Bool
  ) throws(ParameterEncodingError) -> (path: String, value: Any)? {
    if isScalar(value) { return predicate(value) ? (path(), value) : nil }
    guard depth < depthLimit else {
      throw .nestedTooDeep(limit: depthLimit, path: String(path().prefix(100)))
    }
    switch value {
    case let object as [String: Any]:
      for (key, member) in object.sorted(by: { $0.key < $1.key }) {
        let inner = try firstLeaf(
          of: member, path: joined(path(), key), depth: depth + 1, where: predicate)
        if let inner { return inner }
      }
      return nil
    case let array as [Any]:
      for (index, element) in array.enumerated() {
        let inner = try firstLeaf(
          of: element, path: "\(path())[\(index)]", depth: depth + 1, where: predicate)
        if let inner { return inner }
      }
      return nil
    default:
      return predicate(value) ? (path(), value) : nil
    }
  }

  private static func joined(_ path: String, _ key: String) -> String {
    path.isEmpty ? key : "\(path).\(key)"
  }

  /// Whether a value has one of the most common leaf types; compares types, because a cast takes a hundred
  /// times as long.
  private static func isScalar(_ value: Any) -> Bool {
    let type = type(of: value)
    return type == String.self || type == Int.self || type == Double.self || type == Bool.self
  }
}
