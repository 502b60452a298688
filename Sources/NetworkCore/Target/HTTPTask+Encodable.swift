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
  /// subclass is used unchanged.
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
  /// The encoder itself; for a form encoder, a copy that writes to the body.
  ///
  /// A copy of a subclass would lose what the subclass overrides.
  fileprivate var writingBody: any ParameterEncoder {
    guard type(of: self) == URLEncodedFormParameterEncoder.self,
      let form = self as? URLEncodedFormParameterEncoder, form.destination != .httpBody
    else { return self }
    return .urlEncodedForm(encoder: form.encoder, destination: .httpBody)
  }
}
