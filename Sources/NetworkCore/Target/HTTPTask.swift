public import Foundation

/// The content of a request, apart from its head.
///
/// The cases are those of Moya, so that an exhaustive `switch` of ported code compiles. Contents that only
/// this library has, such as `uploadStream(_:)`, are functions; in a `switch` they appear as
/// `requestParameters`, `requestCompositeParameters` or `downloadParameters`, with an encoding that writes
/// the content.
///
/// `@unchecked Sendable` because the parameters are `[String: Any]`, as in code written for Moya. A task is
/// created for one request and only read afterwards. The parameters are almost always values; a reference
/// among them must not be changed while the request is built.
public enum HTTPTask: @unchecked Sendable {
  /// No content.
  case requestPlain
  /// Bytes as the body; the library adds no `Content-Type`.
  case requestData(Data)
  /// A value as a JSON body, with sorted keys.
  case requestJSONEncodable(any Encodable)
  /// A value as a JSON body, encoded by a custom encoder.
  case requestCustomJSONEncodable(any Encodable, encoder: JSONEncoder)
  /// Parameters, in the URL or the body, depending on `encoding`.
  case requestParameters(parameters: [String: Any], encoding: any ParameterEncoding)
  /// Bytes as the body, and parameters in the URL.
  case requestCompositeData(bodyData: Data, urlParameters: [String: Any])
  /// Parameters in the body, encoded by `bodyEncoding`, and other parameters in the URL.
  ///
  /// A `URLEncoding` always writes to the body here and ignores its destination.
  case requestCompositeParameters(
    bodyParameters: [String: Any], bodyEncoding: any ParameterEncoding, urlParameters: [String: Any])
  /// A file as the body, read while it is sent.
  case uploadFile(URL)
  /// A form with files, for `POST`, `PUT` and `PATCH`.
  case uploadMultipartFormData(MultipartFormData)
  /// A form with files, and parameters in the URL.
  case uploadCompositeMultipartFormData(MultipartFormData, urlParameters: [String: Any])
  /// No content; the response is written to a file.
  ///
  /// The file is written under a temporary name, and appears at the destination when it is complete. After an
  /// error or a cancellation, no part of it remains. The response has a `fileURL` and no data.
  ///
  /// A 404 or a 503 is not an error, and creates no file: a response with a status other than 200 to 299 has
  /// no `fileURL`, and its body is in `data`. With more than 1 MiB of body, the download fails with
  /// `TransferError.responseTooLarge`. To turn such a status into an error, set the
  /// target's `validationType` to `.successCodes`, or call `filterSuccessfulStatusCodes()` on the response. A
  /// status that `validationType` names creates a file, except a 304, which has no content. `.customCodes([])` names
  /// every status, and `.none` none.
  case downloadDestination(DownloadDestination)
  /// Parameters, in the URL or the body, depending on `encoding`; the response is written to a file as with
  /// `downloadDestination`.
  case downloadParameters(
    parameters: [String: Any], encoding: any ParameterEncoding, destination: DownloadDestination)
}

extension HTTPTask {
  /// The form that the task sends; `nil` for other tasks.
  var form: MultipartFormData? {
    switch self {
    case .uploadMultipartFormData(let form), .uploadCompositeMultipartFormData(let form, _): form
    default: nil
    }
  }
}
