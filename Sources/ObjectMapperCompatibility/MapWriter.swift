import Foundation

/// Converts values to trees that `JSONSerialization` can write.
enum MapWriter {
  /// Returns the JSON value; `nil` for `nil`, and for a value that JSON cannot represent.
  static func json(_ value: Any) -> Any? {
    switch value {
    case let container as any WritableContainer: container.json
    case let value as any Mappable: value.toJSON()
    case is String, is Bool, is any BinaryInteger, is any BinaryFloatingPoint, is Decimal, is NSNumber,
      is NSNull:
      value
    case let value as any RawRepresentable: raw(value)
    default: nil
    }
  }

  private static func raw(_ value: some RawRepresentable) -> Any? { json(value.rawValue) }
}

/// A type that is written by writing its contents.
private protocol WritableContainer {
  var json: Any? { get }
}

extension Optional: WritableContainer {
  fileprivate var json: Any? { flatMap { MapWriter.json($0) } }
}

extension Array: WritableContainer {
  fileprivate var json: Any? { compactMap { MapWriter.json($0) } }
}

extension Dictionary: WritableContainer {
  fileprivate var json: Any? {
    var members: [String: Any] = [:]
    for (key, value) in self {
      if let name = MapWriter.json(key) as? String { members[name] = MapWriter.json(value) }
    }
    return members
  }
}
