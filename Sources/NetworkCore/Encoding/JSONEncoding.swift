public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Writes parameters as a JSON body, with `Content-Type: application/json` unless one is set.
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
  /// - Throws: `ParameterEncodingError.invalidJSONValue` for a value that JSON cannot say.
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
  /// - Throws: `ParameterEncodingError.invalidJSONValue` for a value that JSON cannot say.
  public func encode(
    _ urlRequest: any URLRequestConvertible, withJSONObject jsonObject: Any? = nil
  ) throws -> URLRequest {
    var request = try urlRequest.asURLRequest()
    guard let jsonObject else { return request }
    // JSONSerialization stops the process for a value that it cannot write.
    guard JSONSerialization.isValidJSONObject(jsonObject) else {
      throw ParameterEncodingError.invalidJSON(in: jsonObject)
    }
    let data = try JSONSerialization.data(withJSONObject: jsonObject, options: options)
    if request.value(forHTTPHeaderField: "Content-Type") == nil {
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    }
    request.httpBody = data
    return request
  }
}

extension ParameterEncodingError {
  /// Names the first value in a tree that JSON cannot say.
  fileprivate static func invalidJSON(in root: Any) -> ParameterEncodingError {
    func search(_ value: Any, at path: String) -> ParameterEncodingError? {
      switch value {
      case let object as [String: Any]:
        for (key, member) in object.sorted(by: { $0.key < $1.key }) {
          if let found = search(member, at: path.isEmpty ? key : "\(path).\(key)") { return found }
        }
        return nil
      case let array as [Any]:
        for (index, element) in array.enumerated() {
          if let found = search(element, at: "\(path)[\(index)]") { return found }
        }
        return nil
      default:
        return JSONSerialization.isValidJSONObject([value])
          ? nil : .invalidJSONValue(path: path, value: "\(value)")
      }
    }
    return search(root, at: "") ?? .invalidJSONValue(path: "", value: "\(root)")
  }
}
