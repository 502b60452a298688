public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// The named values of a request.
public typealias Parameters = [String: Any]

/// A type that encodes parameters into a request: `URLEncoding`, `JSONEncoding`, or your own.
@preconcurrency public protocol ParameterEncoding: Sendable {
  /// Returns a copy of the request with the parameters.
  ///
  /// - Parameters:
  ///   - urlRequest: the request to copy.
  ///   - parameters: the parameters; `nil` returns the request unchanged.
  /// - Returns: the request with the parameters.
  /// - Throws: the reason why the parameters cannot be encoded. The request then fails with
  ///   `NetworkError.parameterEncoding`.
  func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest
}

/// A type that can be converted to a `URLRequest`.
public protocol URLRequestConvertible {
  /// Returns the request.
  ///
  /// - Returns: the request.
  /// - Throws: the reason why there is no request.
  func asURLRequest() throws -> URLRequest
}

extension URLRequest: URLRequestConvertible {
  /// Returns the request itself.
  public func asURLRequest() -> URLRequest { self }
}

/// The reason why parameters could not be encoded into a request.
public enum ParameterEncodingError: Error, Sendable, Hashable {
  /// The request has no URL to extend with a query.
  case missingURL
  /// The URL with the parameters in its query, given here, is invalid.
  case invalidURL(String)
  /// JSON cannot represent this value; `path` is its position, such as `user.tags[2]`, or empty for the root.
  case invalidJSONValue(path: String, value: String)
  /// A property list cannot represent this value; `path` is its position.
  case invalidPropertyListValue(path: String, value: String)
  /// The format can be read but not written.
  case unsupportedFormat(String)
  /// Dictionaries and arrays are nested deeper than `limit`; `path` is the beginning of the path.
  case nestedTooDeep(limit: Int, path: String)
}

extension ParameterEncodingError: LocalizedError {
  /// A description of the error in one line.
  public var errorDescription: String? { Redactor.standard.redacted(text: sentence) }

  private var sentence: String {
    switch self {
    case .missingURL: "The request has no URL for the parameters."
    case .invalidURL(let url): "\(Redactor.standard.redacted(url: url)) is not a URL."
    case .invalidJSONValue(let path, let value):
      path.isEmpty
        ? "\(value) cannot be the root of a JSON text." : "\(value) at \"\(path)\" cannot be written as JSON."
    case .invalidPropertyListValue(let path, let value):
      "\(value) at \"\(path)\" cannot be written in a property list."
    case .unsupportedFormat(let format): "The format \(format) cannot be written."
    case .nestedTooDeep(let limit, let path): "\"\(path)\" is nested more than \(limit) levels deep."
    }
  }
}

extension ParameterEncodingError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable,
  SecretHidingError
{
  package var text: RedactableDescription {
    switch self {
    case .missingURL: "missingURL"
    case .invalidURL(let url):
      RedactableDescription("invalidURL", (nil, .url(url)))
    case .invalidJSONValue(let path, let value):
      RedactableDescription("invalidJSONValue", ("path", .text(path)), ("value", .text(value)))
    case .invalidPropertyListValue(let path, let value):
      RedactableDescription("invalidPropertyListValue", ("path", .text(path)), ("value", .text(value)))
    case .unsupportedFormat(let text):
      RedactableDescription("unsupportedFormat", (nil, .text(text)))
    case .nestedTooDeep(let limit, let path):
      RedactableDescription("nestedTooDeep", ("limit", .plain(limit)), ("path", .text(path)))
    }
  }
}
