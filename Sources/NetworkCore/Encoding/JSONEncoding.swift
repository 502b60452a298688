public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Encodes parameters as a JSON body, with `Content-Type: application/json` unless one is set.
///
/// Keys are sorted, whatever the options, so that the same parameters always have the same text.
public struct JSONEncoding: ParameterEncoding {
  /// Writes without white space.
  public static var `default`: JSONEncoding { JSONEncoding() }
  /// Writes with indentation.
  public static var prettyPrinted: JSONEncoding { JSONEncoding(options: .prettyPrinted) }

  /// The options of the text.
  public let options: JSONSerialization.WritingOptions

  /// Creates an encoding.
  ///
  /// - Parameter options: the options of the text.
  public init(options: JSONSerialization.WritingOptions = []) {
    self.options = options
  }

  /// Returns a copy of the request with the parameters.
  ///
  /// - Parameters:
  ///   - urlRequest: the request to copy.
  ///   - parameters: the JSON object; `nil` returns the request unchanged.
  /// - Returns: the request with the body.
  /// - Throws: `ParameterEncodingError.invalidJSONValue` if JSON cannot represent a value; `.nestedTooDeep`.
  public func encode(
    _ urlRequest: any URLRequestConvertible, with parameters: Parameters?
  ) throws -> URLRequest {
    try encode(urlRequest, withJSONObject: parameters)
  }

  /// Returns a copy of the request with a JSON value whose root is an object or an array.
  ///
  /// - Parameters:
  ///   - urlRequest: the request to copy.
  ///   - jsonObject: a dictionary or an array; `nil` returns the request unchanged.
  /// - Returns: the request with the body.
  /// - Throws: `ParameterEncodingError.invalidJSONValue` if JSON cannot represent a value; `.nestedTooDeep`.
  public func encode(
    _ urlRequest: any URLRequestConvertible, withJSONObject jsonObject: Any? = nil
  ) throws -> URLRequest {
    var request = try urlRequest.asURLRequest()
    guard let jsonObject else { return request }
    try ParameterTree.checkDepth(jsonObject)
    // JSONSerialization traps on a value that it cannot write.
    guard JSONSerialization.isValidJSONObject(jsonObject) else {
      throw try ParameterEncodingError.invalidJSON(in: jsonObject)
    }
    request.httpBody = try JSONSerialization.data(
      withJSONObject: jsonObject, options: options.union(.sortedKeys))
    request.setDefaultContentType("application/json")
    return request
  }
}

extension ParameterEncodingError {
  /// Returns an error with the first value in a tree that JSON cannot represent.
  fileprivate static func invalidJSON(in root: Any) throws(ParameterEncodingError) -> ParameterEncodingError {
    let leaf = try ParameterTree.firstLeaf(of: root) { !JSONSerialization.isValidJSONObject([$0]) }
    return .invalidJSONValue(path: leaf?.path ?? "", value: ParameterTree.text(of: leaf?.value ?? root))
  }
}
