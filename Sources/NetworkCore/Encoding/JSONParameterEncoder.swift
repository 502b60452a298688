public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Writes an `Encodable` value as a JSON body, with `Content-Type: application/json` unless one is set.
///
/// Keys are sorted, so that equal values are equal texts, unless the encoder is of a subclass of `JSONEncoder`.
///
/// ```swift
/// .requestEncodable(user, encoder: .json(encoder: snakeCaseEncoder))
/// ```
///
/// `@unchecked Sendable` because subclassing is allowed: the encoder is the only property, a constant that is not to be
/// changed once requests use it.
open class JSONParameterEncoder: ParameterEncoder, @unchecked Sendable {
  /// Without white space.
  public static var `default`: JSONParameterEncoder { JSONParameterEncoder() }

  /// Indented.
  public static var prettyPrinted: JSONParameterEncoder { formatted(.prettyPrinted) }

  /// Without white space, keys sorted.
  public static var sortedKeys: JSONParameterEncoder { formatted(.sortedKeys) }

  /// What makes JSON of the value.
  public let encoder: JSONEncoder

  /// Makes a parameter encoder.
  ///
  /// - Parameter encoder: what makes JSON of the value; it must not be changed while requests use it.
  public init(encoder: JSONEncoder = JSONEncoder()) {
    self.encoder = encoder
  }

  /// Puts a value into a copy of the request.
  ///
  /// - Parameters:
  ///   - parameters: the value; `nil` leaves the request as it is.
  ///   - request: the request to start from.
  /// - Returns: the request with the body.
  /// - Throws: the encoder's error, such as `EncodingError.invalidValue` for a number that JSON cannot say.
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
  /// JSON without white space.
  public static var json: JSONParameterEncoder { .default }

  /// JSON by an encoder of one's own.
  ///
  /// - Parameter encoder: what makes JSON of the value.
  /// - Returns: the parameter encoder.
  public static func json(encoder: JSONEncoder) -> JSONParameterEncoder {
    JSONParameterEncoder(encoder: encoder)
  }
}
