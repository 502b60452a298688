public import Foundation

/// What a request carries besides its head.
///
/// `@unchecked Sendable` because the parameters are `[String: Any]`, as code written for Moya has them. A task is
/// made for one request and only read afterwards; the parameters are values in all but odd cases, and a reference
/// among them must not be changed while the request is built.
public enum HTTPTask: @unchecked Sendable {
  /// Nothing.
  case requestPlain
  /// Bytes as the body, without a `Content-Type` of ours.
  case requestData(Data)
  /// A value as a JSON body.
  case requestJSONEncodable(any Encodable)
  /// A value as a JSON body, made by an encoder of one's own.
  case requestCustomJSONEncodable(any Encodable, encoder: JSONEncoder)
  /// Parameters, in the URL or the body as `encoding` says.
  case requestParameters(parameters: [String: Any], encoding: any ParameterEncoding)
  /// Bytes as the body, and parameters in the URL.
  case requestCompositeData(bodyData: Data, urlParameters: [String: Any])
  /// Parameters in the body as `bodyEncoding` says, and others in the URL.
  ///
  /// A `URLEncoding` writes to the body here, whatever its destination.
  case requestCompositeParameters(
    bodyParameters: [String: Any], bodyEncoding: any ParameterEncoding, urlParameters: [String: Any])
}
