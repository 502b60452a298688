public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Encodes parameters as a property list, with `Content-Type: application/x-plist` unless one is set.
public struct PropertyListEncoding: ParameterEncoding {
  /// Writes XML.
  public static var `default`: PropertyListEncoding { PropertyListEncoding() }
  /// Writes XML.
  public static var xml: PropertyListEncoding { PropertyListEncoding(format: .xml) }
  /// Writes the binary format.
  public static var binary: PropertyListEncoding { PropertyListEncoding(format: .binary) }

  /// The format of the property list.
  public let format: PropertyListSerialization.PropertyListFormat

  /// Creates an encoding.
  ///
  /// - Parameter format: `.xml` or `.binary`; `.openStep` cannot be written and makes `encode` throw.
  public init(format: PropertyListSerialization.PropertyListFormat = .xml) {
    self.format = format
  }

  /// Returns a copy of the request with the parameters.
  ///
  /// - Parameters:
  ///   - urlRequest: the request to copy.
  ///   - parameters: the dictionary; `nil` returns the request unchanged.
  /// - Returns: the request with the body.
  /// - Throws: `ParameterEncodingError.invalidPropertyListValue` if a property list cannot represent a value;
  ///   `.nestedTooDeep`; `.unsupportedFormat` for OpenStep.
  public func encode(
    _ urlRequest: any URLRequestConvertible, with parameters: Parameters?
  ) throws -> URLRequest {
    var request = try urlRequest.asURLRequest()
    guard let parameters else { return request }
    guard format != .openStep else { throw ParameterEncodingError.unsupportedFormat("OpenStep") }
    try check(parameters)
    request.httpBody = try PropertyListSerialization.data(
      fromPropertyList: parameters, format: format, options: 0)
    request.setDefaultContentType("application/x-plist")
    return request
  }

  /// Throws for a value that PropertyListSerialization cannot write, because it would trap.
  ///
  /// Of the numbers, it writes those that Foundation bridges to `NSNumber`, which `Int128` is not. In XML, a date that
  /// is not finite would become digits that no reader accepts.
  private func check(_ parameters: Parameters) throws(ParameterEncodingError) {
    let invalid = try ParameterTree.firstLeaf(of: parameters) { leaf in
      if let date = leaf as? Date { return !date.timeIntervalSinceReferenceDate.isFinite }
      return !(leaf is String || leaf is Data || leaf is NSNumber)
    }
    if let invalid {
      throw .invalidPropertyListValue(path: invalid.path, value: ParameterTree.text(of: invalid.value))
    }
  }
}
