public import Foundation

/// The content of a request, apart from its head.
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
  /// A value in the URL or the body, depending on the encoder.
  case requestEncodable(any Encodable, encoder: any ParameterEncoder)
  /// A value as a form body, `key=value&key=value`.
  case requestFormEncodable(any Encodable, encoder: URLEncodedFormEncoder = URLEncodedFormEncoder())
  /// A value in the body, and parameters in the URL.
  ///
  /// A `URLEncodedFormParameterEncoder` always writes to the body here and ignores its destination.
  case requestCompositeEncodable(
    any Encodable, encoder: any ParameterEncoder = JSONParameterEncoder(), urlParameters: [String: Any])
  /// Bytes as the body, with upload progress.
  case uploadData(Data)
  /// A file as the body, read while it is sent.
  case uploadFile(URL)
  /// A stream as the body, read while it is sent.
  case uploadStream(BodyStream)
  /// A form with files, for `POST`, `PUT` and `PATCH`.
  case uploadMultipartFormData(MultipartFormData)
  /// A form with files, and parameters in the URL.
  case uploadCompositeMultipartFormData(MultipartFormData, urlParameters: [String: Any])
  /// The older spelling of `uploadMultipartFormData(_:)`, with the parts of the form.
  case uploadMultipart([MultipartFormBodyPart])
  /// The older spelling of `uploadCompositeMultipartFormData(_:urlParameters:)`, with the parts of the form.
  case uploadCompositeMultipart([MultipartFormBodyPart], urlParameters: [String: Any])
  /// No content; the response is written to a file.
  ///
  /// The file is written under a temporary name, and appears at the destination when it is complete. After an
  /// error or a cancellation, no part of it remains. The response has a `fileURL` and no data.
  ///
  /// A 404 or a 503 is not an error, and creates no file: a response with a status other than 200 to 299 has
  /// no `fileURL`, and its body, up to 1 MiB, is in `data`. To turn such a status into an error, set the
  /// target's `validationType` to `.successCodes`, or call `filterSuccessfulStatusCodes()` on the response. A
  /// status that `validationType` names creates a file.
  case downloadDestination(DownloadDestination)
  /// Parameters, in the URL or the body, depending on `encoding`; the response is written to a file as with
  /// `downloadDestination`.
  case downloadParameters(
    parameters: [String: Any], encoding: any ParameterEncoding, destination: DownloadDestination)
  /// Parameters, if any; the response is written to a file, and the download can be resumed after an error or
  /// a cancellation.
  ///
  /// As with `downloadDestination`, a 404 or a 503 is a response without a `fileURL`, and not an error; it
  /// keeps the part that had arrived before.
  ///
  /// The part that has arrived is kept in `<name>.part` next to the destination, and the data to resume it in
  /// `<name>.part.json`, without the URL; only this user can read these files. If the name is too long for
  /// these endings, it is shortened. The next download of the same URL to the same destination requests the
  /// rest (`Range`, RFC 9110, section 14), on condition that the content is the same (`If-Range`). If it is
  /// not, the whole content is downloaded again. If the server sends another range than the requested one,
  /// the download fails with `DownloadError.wrongRange`. Without a strong `ETag` or `Last-Modified`, nothing
  /// is kept: `ProgressResponse.resumeObstacle`, and `Response.resumeObstacle` of the response in an error,
  /// give the reason. Only one download at a time may use a destination.
  case downloadResumable(
    to: URL, options: DownloadOptions = [], parameters: [String: Any] = [:],
    encoding: any ParameterEncoding = URLEncoding.queryString)
}

extension HTTPTask {
  /// Returns a task with a stream of Foundation as the body, which can be sent once.
  ///
  /// - Parameters:
  ///   - stream: the stream, not yet opened; do not use it afterwards.
  ///   - length: the number of bytes; `nil` if unknown.
  /// - Returns: the task.
  public static func uploadStream(_ stream: InputStream, length: Int64? = nil) -> HTTPTask {
    .uploadStream(BodyStream(stream, length: length))
  }

  /// The older spelling of `uploadMultipartFormData(_:)`, with parts as older versions of Moya create them.
  ///
  /// - Parameter forms: the parts.
  /// - Returns: the task.
  @_disfavoredOverload public static func uploadMultipart(_ forms: [MultipartFormData]) -> HTTPTask {
    .uploadMultipart(forms.flatMap(\.parts))
  }

  /// The older spelling of `uploadCompositeMultipartFormData(_:urlParameters:)`, with parts as older versions
  /// of Moya create them.
  ///
  /// - Parameters:
  ///   - forms: the parts.
  ///   - urlParameters: the parameters in the URL.
  /// - Returns: the task.
  @_disfavoredOverload public static func uploadCompositeMultipart(
    _ forms: [MultipartFormData], urlParameters: [String: Any]
  ) -> HTTPTask {
    .uploadCompositeMultipart(forms.flatMap(\.parts), urlParameters: urlParameters)
  }
}

extension HTTPTask {
  /// The form that the task sends; `nil` for other tasks.
  var form: MultipartFormData? {
    switch self {
    case .uploadMultipartFormData(let form), .uploadCompositeMultipartFormData(let form, _): form
    case .uploadMultipart(let parts), .uploadCompositeMultipart(let parts, _): MultipartFormData(parts: parts)
    default: nil
    }
  }
}
