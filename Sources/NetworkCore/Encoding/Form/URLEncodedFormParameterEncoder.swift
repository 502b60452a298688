#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Writes an `Encodable` value as `key=value&key=value`, into the URL's query or a form body.
///
/// ```swift
/// .requestEncodable(search, encoder: .urlEncodedForm(destination: .queryString))
/// ```
///
/// `@unchecked Sendable` because subclassing is allowed: both properties are constants of `Sendable` types.
open class URLEncodedFormParameterEncoder: ParameterEncoder, @unchecked Sendable {
  /// Where the text goes.
  public typealias Destination = URLEncoding.Destination

  /// Into the query or the body as the method demands, with the encoder's defaults.
  public static var `default`: URLEncodedFormParameterEncoder { URLEncodedFormParameterEncoder() }

  /// What makes text of the value.
  public let encoder: URLEncodedFormEncoder
  /// Where the text goes.
  public let destination: Destination

  /// Makes a parameter encoder.
  ///
  /// - Parameters:
  ///   - encoder: what makes text of the value.
  ///   - destination: where the text goes.
  public init(
    encoder: URLEncodedFormEncoder = URLEncodedFormEncoder(), destination: Destination = .methodDependent
  ) {
    self.encoder = encoder
    self.destination = destination
  }

  /// Puts a value into a copy of the request.
  ///
  /// - Parameters:
  ///   - parameters: the value; `nil` leaves the request as it is.
  ///   - request: the request to start from.
  /// - Returns: the request with the text in its query or its body.
  /// - Throws: `URLEncodedFormEncoder.Error` or the value's own error, `ParameterEncodingError.missingURL` where a query
  ///   is to be written and there is no URL, `.invalidURL` where the URL is not one with the query.
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
  /// `key=value&key=value` in the query or the body as the method demands.
  public static var urlEncodedForm: URLEncodedFormParameterEncoder { .default }

  /// `key=value&key=value` by an encoder of one's own.
  ///
  /// - Parameters:
  ///   - encoder: what makes text of the value.
  ///   - destination: where the text goes.
  /// - Returns: the parameter encoder.
  public static func urlEncodedForm(
    encoder: URLEncodedFormEncoder = URLEncodedFormEncoder(),
    destination: URLEncodedFormParameterEncoder.Destination = .methodDependent
  ) -> URLEncodedFormParameterEncoder {
    URLEncodedFormParameterEncoder(encoder: encoder, destination: destination)
  }
}
