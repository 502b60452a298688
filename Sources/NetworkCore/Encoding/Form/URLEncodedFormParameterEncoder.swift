#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Encodes an `Encodable` value as `key=value&key=value`, in the query of the URL or in a form body.
///
/// ```swift
/// .requestEncodable(search, encoder: .urlEncodedForm(destination: .queryString))
/// ```
///
/// `@unchecked Sendable` because subclassing is allowed: both properties are constants of `Sendable` types.
open class URLEncodedFormParameterEncoder: ParameterEncoder, @unchecked Sendable {
  /// The destination of the text.
  public typealias Destination = URLEncoding.Destination

  /// Writes to the query or the body, depending on the method, with the default settings of the encoder.
  public static var `default`: URLEncodedFormParameterEncoder { URLEncodedFormParameterEncoder() }

  /// The encoder of the values.
  public let encoder: URLEncodedFormEncoder
  /// The destination of the text.
  public let destination: Destination

  /// Creates a parameter encoder.
  ///
  /// - Parameters:
  ///   - encoder: the encoder of the values.
  ///   - destination: the destination of the text.
  public init(
    encoder: URLEncodedFormEncoder = URLEncodedFormEncoder(), destination: Destination = .methodDependent
  ) {
    self.encoder = encoder
    self.destination = destination
  }

  /// Returns a copy of the request with a value.
  ///
  /// - Parameters:
  ///   - parameters: the value; `nil` returns the request unchanged.
  ///   - request: the request to copy.
  /// - Returns: the request with the text in its query or its body.
  /// - Throws: `URLEncodedFormEncoder.Error` or an error of the value itself;
  ///   `ParameterEncodingError.missingURL` if the text goes to the query and there is no URL; `.invalidURL`
  ///   if the URL with the query is invalid.
  open func encode<Parameters: Encodable>(
    _ parameters: Parameters?, into request: URLRequest
  ) throws -> URLRequest {
    guard let parameters else { return request }
    var request = request
    let text: String = try encoder.encode(parameters)
    try request.write(form: text, to: destination)
    return request
  }
}

extension ParameterEncoder where Self == URLEncodedFormParameterEncoder {
  /// Encodes as `key=value&key=value` in the query or the body, depending on the method.
  public static var urlEncodedForm: URLEncodedFormParameterEncoder { .default }

  /// Returns a parameter encoder for `key=value&key=value` with the given encoder.
  ///
  /// - Parameters:
  ///   - encoder: the encoder of the values.
  ///   - destination: the destination of the text.
  /// - Returns: the parameter encoder.
  public static func urlEncodedForm(
    encoder: URLEncodedFormEncoder = URLEncodedFormEncoder(),
    destination: URLEncodedFormParameterEncoder.Destination = .methodDependent
  ) -> URLEncodedFormParameterEncoder {
    URLEncodedFormParameterEncoder(encoder: encoder, destination: destination)
  }
}
