public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Writes parameters as a JSON body, with `Content-Type: application/json` unless one is set.
///
/// Keys are sorted, whatever the options, so that the same parameters always give the same text.
public struct JSONEncoding: ParameterEncoding {
  /// Without white space.
  public static var `default`: JSONEncoding { JSONEncoding() }
  /// Indented.
  public static var prettyPrinted: JSONEncoding { JSONEncoding(options: .prettyPrinted) }

  /// How the text is written.
  public let options: JSONSerialization.WritingOptions

  /// Makes an encoding.
  ///
  /// - Parameter options: how the text is written.
  public init(options: JSONSerialization.WritingOptions = []) {
    self.options = options
  }

  /// Puts the parameters into a copy of the request.
  ///
  /// - Parameters:
  ///   - urlRequest: the request to start from.
  ///   - parameters: the JSON object; `nil` leaves the request as it is.
  /// - Returns: the request with the body.
  /// - Throws: `ParameterEncodingError.invalidJSONValue` for a value that JSON cannot say, `.nestedTooDeep`.
  public func encode(
    _ urlRequest: any URLRequestConvertible, with parameters: Parameters?
  ) throws -> URLRequest {
    try encode(urlRequest, withJSONObject: parameters)
  }

  /// Puts any JSON value whose root is an object or an array into a copy of the request.
  ///
  /// - Parameters:
  ///   - urlRequest: the request to start from.
  ///   - jsonObject: a dictionary or an array; `nil` leaves the request as it is.
  /// - Returns: the request with the body.
  /// - Throws: `ParameterEncodingError.invalidJSONValue` for a value that JSON cannot say, `.nestedTooDeep`.
  public func encode(
    _ urlRequest: any URLRequestConvertible, withJSONObject jsonObject: Any? = nil
  ) throws -> URLRequest {
    var request = try urlRequest.asURLRequest()
    guard let jsonObject else { return request }
    try ParameterTree.checkDepth(jsonObject)
    // JSONSerialization stops the process for a value that it cannot write.
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
  /// Names the first value in a tree that JSON cannot say.
  fileprivate static func invalidJSON(in root: Any) throws(ParameterEncodingError) -> ParameterEncodingError {
    let leaf = try ParameterTree.firstLeaf(of: root) { !JSONSerialization.isValidJSONObject([$0]) }
    return .invalidJSONValue(path: leaf?.path ?? "", value: "\(leaf?.value ?? root)")
  }
}
