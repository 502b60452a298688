public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Writes parameters as a property list, with `Content-Type: application/x-plist` unless one is set.
public struct PropertyListEncoding: ParameterEncoding {
  /// As XML.
  public static var `default`: PropertyListEncoding { PropertyListEncoding() }
  /// As XML.
  public static var xml: PropertyListEncoding { PropertyListEncoding(format: .xml) }
  /// In the binary format.
  public static var binary: PropertyListEncoding { PropertyListEncoding(format: .binary) }

  /// The format of the list.
  public let format: PropertyListSerialization.PropertyListFormat

  /// Makes an encoding.
  ///
  /// - Parameter format: `.xml` or `.binary`; `.openStep` cannot be written and makes `encode` throw.
  public init(format: PropertyListSerialization.PropertyListFormat = .xml) {
    self.format = format
  }

  /// Puts the parameters into a copy of the request.
  ///
  /// - Parameters:
  ///   - urlRequest: the request to start from.
  ///   - parameters: the dictionary; `nil` leaves the request as it is.
  /// - Returns: the request with the body.
  /// - Throws: `ParameterEncodingError.invalidPropertyListValue` for a value that a property list cannot say,
  ///   `.nestedTooDeep`, `.unsupportedFormat` for OpenStep.
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

  /// PropertyListSerialization stops the process for a value that it cannot write.
  private func check(_ parameters: Parameters) throws(ParameterEncodingError) {
    let invalid = try ParameterTree.firstLeaf(of: parameters) { leaf in
      switch leaf {
      case is String, is Data, is Date, is any BinaryInteger, is any BinaryFloatingPoint, is Bool: false
      default: !(leaf is NSNumber)
      }
    }
    if let invalid { throw .invalidPropertyListValue(path: invalid.path, value: "\(invalid.value)") }
  }
}
