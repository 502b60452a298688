internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

extension HTTPTask {
  /// A value in the URL or the body, depending on the encoder.
  ///
  /// - Parameters:
  ///   - value: the value.
  ///   - encoder: the encoder.
  /// - Returns: the task.
  public static func requestEncodable(
    _ value: any Encodable, encoder: any ParameterEncoder
  ) -> HTTPTask {
    .requestParameters(parameters: [:], encoding: EncodableEncoding(value: value, encoder: encoder))
  }

  /// A value as a form body, `key=value&key=value`.
  ///
  /// - Parameters:
  ///   - value: the value.
  ///   - encoder: the encoder of the form.
  /// - Returns: the task.
  public static func requestFormEncodable(
    _ value: any Encodable, encoder: URLEncodedFormEncoder = URLEncodedFormEncoder()
  ) -> HTTPTask {
    .requestEncodable(value, encoder: .urlEncodedForm(encoder: encoder, destination: .httpBody))
  }

  /// A value in the body, and parameters in the URL.
  ///
  /// A `URLEncodedFormParameterEncoder` always writes to the body here and ignores its destination. A
  /// subclass with the destination `.queryString` writes to the URL.
  ///
  /// - Parameters:
  ///   - value: the value.
  ///   - encoder: the encoder of the value.
  ///   - urlParameters: the parameters in the URL.
  /// - Returns: the task.
  public static func requestCompositeEncodable(
    _ value: any Encodable, encoder: any ParameterEncoder = JSONParameterEncoder(),
    urlParameters: [String: Any]
  ) -> HTTPTask {
    .requestCompositeParameters(
      bodyParameters: [:], bodyEncoding: EncodableEncoding(value: value, encoder: encoder.writingBody),
      urlParameters: urlParameters)
  }
}

/// Writes a value with an encoder, and ignores parameters.
///
/// `@unchecked Sendable` for the same reason as `HTTPTask`: the value is only read.
private struct EncodableEncoding: ParameterEncoding, @unchecked Sendable {
  let value: any Encodable
  let encoder: any ParameterEncoder

  func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
    let request = try urlRequest.asURLRequest()
    func encoded(_ value: some Encodable) throws -> URLRequest { try encoder.encode(value, into: request) }
    do {
      return try encoded(value)
    } catch {
      throw NetworkError.encodableMapping(error)
    }
  }
}

extension ParameterEncoder {
  /// The encoder itself; for a form encoder, one that writes to the body.
  fileprivate var writingBody: any ParameterEncoder {
    guard let form = self as? URLEncodedFormParameterEncoder, form.destination != .httpBody else {
      return self
    }
    // A copy of a subclass would lose what the subclass overrides.
    return type(of: form) == URLEncodedFormParameterEncoder.self
      ? .urlEncodedForm(encoder: form.encoder, destination: .httpBody) : PostEncoder(encoder: form)
  }
}

/// Encodes as for a POST, so that an encoder whose destination depends on the method writes to the body.
private struct PostEncoder: ParameterEncoder {
  let encoder: URLEncodedFormParameterEncoder

  func encode<Parameters: Encodable>(_ parameters: Parameters?, into request: URLRequest) throws -> URLRequest
  {
    var post = request
    post.httpMethod = "POST"
    var encoded = try encoder.encode(parameters, into: post)
    encoded.httpMethod = request.httpMethod
    return encoded
  }
}
