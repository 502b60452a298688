import Foundation

/// Creates values from the trees that `JSONSerialization` reads.
///
/// The type is inspected at run time, so that one operator supports members of all types.
enum MapReader {
  /// Returns the value; `nil` if the raw value does not match the type.
  static func read<Value>(_ type: Value.Type, from raw: Any) -> Value? {
    if let container = type as? any ReadableContainer.Type { return container.read(from: raw) as? Value }
    if let mappable = type as? any Mappable.Type {
      return (raw as? [String: Any]).flatMap { mappable.init(JSON: $0) } as? Value
    }
    // Before raw values, because a type that has a raw value may also be readable directly.
    if let value = scalar(type, from: raw) { return value }
    if let representable = type as? any RawRepresentable.Type { return wrapped(representable, raw) as? Value }
    return raw is NSNumber ? nil : raw as? Value
  }

  private static func wrapped<Value: RawRepresentable>(_ type: Value.Type, _ raw: Any) -> Any? {
    read(Value.RawValue.self, from: raw).flatMap(Value.init(rawValue:))
  }

  private static func scalar<Value>(_ type: Value.Type, from raw: Any) -> Value? {
    if type == Any.self || type == String.self { return raw as? Value }
    guard let number = raw as? NSNumber else { return nil }
    if type == Bool.self { return [0, 1].contains(number) ? number.boolValue as? Value : nil }
    if let type = type as? any BinaryInteger.Type { return integer(type, number) as? Value }
    if let type = type as? any BinaryFloatingPoint.Type { return floatingPoint(type, number) as? Value }
    if type == Decimal.self { return number.decimalValue as? Value }
    return type == NSNumber.self ? number as? Value : nil
  }

  private static func integer<Value: BinaryInteger>(_ type: Value.Type, _ number: NSNumber) -> Value? {
    // Not through Double, which cannot represent every large integer.
    if NSNumber(value: number.int64Value) == number { return Value(exactly: number.int64Value) }
    if NSNumber(value: number.uint64Value) == number { return Value(exactly: number.uint64Value) }
    return nil
  }

  private static func floatingPoint<Value: BinaryFloatingPoint>(_ type: Value.Type, _ number: NSNumber)
    -> Value
  {
    Value(number.doubleValue)
  }
}

/// A type that is read from JSON by reading its contents.
private protocol ReadableContainer {
  static func read(from raw: Any) -> Any?
}

extension Optional: ReadableContainer {
  static func read(from raw: Any) -> Any? {
    MapReader.read(Wrapped.self, from: raw) as Any
  }
}

extension Array: ReadableContainer {
  static func read(from raw: Any) -> Any? {
    guard let elements = raw as? [Any] else { return nil }
    let values = elements.compactMap { MapReader.read(Element.self, from: $0) }
    // An element type may refuse objects; any other mismatch means that the array has the wrong type.
    return values.count == elements.count || Element.self is any Mappable.Type ? values : nil
  }
}

extension Dictionary: ReadableContainer {
  static func read(from raw: Any) -> Any? {
    guard let members = raw as? [String: Any] else { return nil }
    var values: [Key: Value] = [:]
    for (name, member) in members {
      guard let key = MapReader.read(Key.self, from: name) else { return nil }
      guard let value = MapReader.read(Value.self, from: member) else {
        if Value.self is any Mappable.Type { continue }
        return nil
      }
      values[key] = value
    }
    return values
  }
}
