import Foundation

extension URLEncoding {
  /// Returns the escaped key-value pairs of a parameter: one, or several for a dictionary or an array.
  ///
  /// - Parameters:
  ///   - key: the parameter's name, unescaped.
  ///   - value: a dictionary or an array of any depth, a number, a boolean, or anything with a description.
  /// - Returns: the pairs in the order in which they are written.
  public func queryComponents(fromKey key: String, value: Any) -> [(String, String)] {
    if let text = plainText(value) { return [(escape(key), escape(text))] }
    return switch value {
    case let dictionary as [String: Any]:
      dictionary.sorted { $0.key < $1.key }
        .flatMap { queryComponents(fromKey: "\(key)[\($0.key)]", value: $0.value) }
    case let array as [Any]:
      array.enumerated().flatMap { index, element in
        queryComponents(fromKey: arrayEncoding.encode(key: key, atIndex: index), value: element)
      }
    case let integer as any BinaryInteger:
      // Bridged to NSNumber, an `Int8` would look like a boolean.
      [(escape(key), escape("\(integer)"))]
    case let number as NSNumber where String(cString: number.objCType) == "c":
      // A boolean: `as Bool` would also match the numbers 0 and 1.
      [(escape(key), boolEncoding.encode(number.boolValue))]
    case let optional as any AnyOptional:
      optional.wrapped.map { queryComponents(fromKey: key, value: $0) } ?? []
    default:
      [(escape(key), escape(ParameterTree.text(of: value)))]
    }
  }

  /// Returns the text of the most common types; compares types, because a cast takes a hundred times as long.
  private func plainText(_ value: Any) -> String? {
    let type = type(of: value)
    if type == String.self { return value as? String }
    if type == Int.self || type == Double.self { return "\(value)" }
    if type == Bool.self, let value = value as? Bool { return boolEncoding.encode(value) }
    return nil
  }

  /// Percent-encodes everything but RFC 3986's unreserved characters, `?` and `/`; a space becomes `%20`.
  ///
  /// - Parameter string: the text to escape.
  /// - Returns: the escaped text.
  public func escape(_ string: String) -> String {
    if string.utf8.allSatisfy(\.isAllowedInQuery) { return string }
    let digits = Array("0123456789ABCDEF".utf8)
    var escaped: [UInt8] = []
    escaped.reserveCapacity(string.utf8.count * 3)
    for byte in string.utf8 {
      if byte.isAllowedInQuery {
        escaped.append(byte)
      } else {
        escaped += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: escaped, as: UTF8.self)
  }
}

/// Gives access to the value of an optional in an `Any`.
private protocol AnyOptional {
  var wrapped: Any? { get }
}

extension Optional: AnyOptional {
  var wrapped: Any? { self }
}

extension UInt8 {
  fileprivate var isAllowedInQuery: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "-")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "?"):
      true
    default: false
    }
  }
}
