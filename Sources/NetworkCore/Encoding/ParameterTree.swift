import Foundation

/// Walks parameters of any shape, as `[String: Any]` may hold them.
enum ParameterTree {
  /// Foundation's writers recurse, and would overflow the stack; it knows no JSON that is nested deeper than 512.
  static let depthLimit = 500

  /// Throws for dictionaries and arrays that are nested too deep.
  static func checkDepth(_ root: Any) throws(ParameterEncodingError) {
    _ = try firstLeaf(of: root) { _ in false }
  }

  /// The first value, keys sorted, that is neither dictionary nor array and that `isWanted` picks; with its path.
  static func firstLeaf(
    of root: Any, where isWanted: (Any) -> Bool
  ) throws(ParameterEncodingError) -> (path: String, value: Any)? {
    try firstLeaf(of: root, path: "", depth: 0, where: isWanted)
  }

  private static func firstLeaf(
    of value: Any, path: @autoclosure () -> String, depth: Int, where isWanted: (Any) -> Bool
  ) throws(ParameterEncodingError) -> (path: String, value: Any)? {
    if isScalar(value) { return isWanted(value) ? (path(), value) : nil }
    guard depth < depthLimit else {
      throw .nestedTooDeep(limit: depthLimit, path: String(path().prefix(100)))
    }
    switch value {
    case let object as [String: Any]:
      for (key, member) in object.sorted(by: { $0.key < $1.key }) {
        let inner = try firstLeaf(
          of: member, path: joined(path(), key), depth: depth + 1, where: isWanted)
        if let inner { return inner }
      }
      return nil
    case let array as [Any]:
      for (index, element) in array.enumerated() {
        let inner = try firstLeaf(
          of: element, path: "\(path())[\(index)]", depth: depth + 1, where: isWanted)
        if let inner { return inner }
      }
      return nil
    default:
      return isWanted(value) ? (path(), value) : nil
    }
  }

  private static func joined(_ path: String, _ key: String) -> String {
    path.isEmpty ? key : "\(path).\(key)"
  }

  /// The types that most leaves have, told by comparing types: a cast costs a hundred times as much.
  private static func isScalar(_ value: Any) -> Bool {
    let type = type(of: value)
    return type == String.self || type == Int.self || type == Double.self || type == Bool.self
  }
}
