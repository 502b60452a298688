public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Encodes an `Encodable` value as a JSON body, with `Content-Type: application/json` unless one is set.
///
/// Keys are sorted, so that equal values have equal texts, unless the encoder is a subclass of `JSONEncoder`.
///
/// ```swift
/// .requestEncodable(user, encoder: .json(encoder: snakeCaseEncoder))
/// ```
///
/// `@unchecked Sendable` because subclassing is allowed: the encoder is the only property, a constant that
/// must not be changed while requests use it.
open class JSONParameterEncoder: ParameterEncoder, @unchecked Sendable {
  /// Writes without white space.
  public static var `default`: JSONParameterEncoder { JSONParameterEncoder() }

  /// Writes with indentation.
  public static var prettyPrinted: JSONParameterEncoder { formatted(.prettyPrinted) }

  /// Writes without white space, with sorted keys.
  public static var sortedKeys: JSONParameterEncoder { formatted(.sortedKeys) }

  /// The encoder of the values.
  public let encoder: JSONEncoder

  /// Creates a parameter encoder.
  ///
  /// - Parameter encoder: the encoder of the values; it must not be changed while requests use it.
  public init(encoder: JSONEncoder = JSONEncoder()) {
    self.encoder = encoder
  }

  /// Returns a copy of the request with a value.
  ///
  /// - Parameters:
  ///   - parameters: the value; `nil` returns the request unchanged.
  ///   - request: the request to copy.
  /// - Returns: the request with the body.
  /// - Throws: the encoder's error, such as `EncodingError.invalidValue` for a number that JSON cannot
  ///   represent.
  open func encode<Parameters: Encodable>(
    _ parameters: Parameters?, into request: URLRequest
  ) throws -> URLRequest {
    guard let parameters else { return request }
    var request = request
    request.httpBody = try encoder.encodeSorted(parameters)
    request.setDefaultContentType("application/json")
    return request
  }

  private static func formatted(_ formatting: JSONEncoder.OutputFormatting) -> JSONParameterEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = formatting
    return JSONParameterEncoder(encoder: encoder)
  }
}

extension ParameterEncoder where Self == JSONParameterEncoder {
  /// Encodes as JSON without white space.
  public static var json: JSONParameterEncoder { .default }

  /// Returns a parameter encoder for JSON with the given encoder.
  ///
  /// - Parameter encoder: the encoder of the values.
  /// - Returns: the parameter encoder.
  public static func json(encoder: JSONEncoder) -> JSONParameterEncoder {
    JSONParameterEncoder(encoder: encoder)
  }
}
