public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Named values that a request carries.
public typealias Parameters = [String: Any]

/// A way of putting parameters into a request: `URLEncoding`, `JSONEncoding`, or one of your own.
public protocol ParameterEncoding: Sendable {
  /// Puts the parameters into a copy of the request.
  ///
  /// - Parameters:
  ///   - urlRequest: the request to start from.
  ///   - parameters: what to put into it; `nil` leaves the request as it is.
  /// - Returns: the request with the parameters.
  /// - Throws: what keeps the parameters from being encoded; the request then fails with
  ///   `NetworkError.parameterEncoding`.
  func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest
}

/// What a `URLRequest` can be made of.
public protocol URLRequestConvertible {
  /// Makes the request.
  ///
  /// - Returns: the request.
  /// - Throws: what keeps it from being made.
  func asURLRequest() throws -> URLRequest
}

extension URLRequest: URLRequestConvertible {
  /// The request itself.
  public func asURLRequest() -> URLRequest { self }
}

/// Why parameters could not be put into a request.
public enum ParameterEncodingError: Error, Sendable, Hashable {
  /// The request has no URL whose query could be extended.
  case missingURL
  /// The request's URL with the parameters in its query, given here, is not a URL.
  case invalidURL(String)
  /// JSON has no way to say this value; `path` tells where it stands, such as `user.tags[2]`, empty for the root.
  case invalidJSONValue(path: String, value: String)
  /// A property list has no way to say this value; `path` tells where it stands.
  case invalidPropertyListValue(path: String, value: String)
  /// The format can be read but not written.
  case unsupportedFormat(String)
  /// Dictionaries and arrays are nested deeper than this, beginning at `path`.
  case nestedTooDeep(limit: Int, path: String)
}

extension ParameterEncodingError: LocalizedError {
  /// What happened, in one line.
  public var errorDescription: String? { Secrets.standard.shown(text: sentence) }

  private var sentence: String {
    switch self {
    case .missingURL: "The request has no URL to put parameters in."
    case .invalidURL(let url): "\(Secrets.standard.shown(url: url)) is not a URL."
    case .invalidJSONValue(let path, let value):
      path.isEmpty
        ? "\(value) cannot be the root of a JSON text." : "\(value) at \"\(path)\" cannot be written as JSON."
    case .invalidPropertyListValue(let path, let value):
      "\(value) at \"\(path)\" cannot be written in a property list."
    case .unsupportedFormat(let format): "The format \(format) cannot be written."
    case .nestedTooDeep(let limit, let path): "\"\(path)\" is nested more than \(limit) deep."
    }
  }
}

extension ParameterEncodingError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable,
  SecretHidingError
{
  package var text: SafeText {
    switch self {
    case .missingURL: "missingURL"
    case .invalidURL(let url):
      SafeText("invalidURL", (nil, .url(url)))
    case .invalidJSONValue(let path, let value):
      SafeText("invalidJSONValue", ("path", .text(path)), ("value", .text(value)))
    case .invalidPropertyListValue(let path, let value):
      SafeText("invalidPropertyListValue", ("path", .text(path)), ("value", .text(value)))
    case .unsupportedFormat(let text):
      SafeText("unsupportedFormat", (nil, .text(text)))
    case .nestedTooDeep(let limit, let path):
      SafeText("nestedTooDeep", ("limit", .plain(limit)), ("path", .text(path)))
    }
  }
}
