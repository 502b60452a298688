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
  /// A value as a JSON body, keys sorted.
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
  /// A value in the URL or the body, as the encoder says.
  case requestEncodable(any Encodable, encoder: any ParameterEncoder)
  /// A value as a form body, `key=value&key=value`.
  case requestFormEncodable(any Encodable, encoder: URLEncodedFormEncoder = URLEncodedFormEncoder())
  /// A value in the body, and parameters in the URL.
  ///
  /// A `URLEncodedFormParameterEncoder` writes to the body here, whatever its destination.
  case requestCompositeEncodable(
    any Encodable, encoder: any ParameterEncoder = JSONParameterEncoder(), urlParameters: [String: Any])
  /// Bytes as the body, with progress of their being sent.
  case uploadData(Data)
  /// A file as the body, read while it is sent.
  case uploadFile(URL)
  /// A stream as the body, read while it is sent.
  case uploadStream(BodyStream)
  /// A form with files, for POST, PUT and PATCH.
  case uploadMultipartFormData(MultipartFormData)
  /// A form with files, and parameters in the URL.
  case uploadCompositeMultipartFormData(MultipartFormData, urlParameters: [String: Any])
  /// The older spelling of `uploadMultipartFormData(_:)`, with the parts of the form.
  case uploadMultipart([MultipartFormBodyPart])
  /// The older spelling of `uploadCompositeMultipartFormData(_:urlParameters:)`, with the parts of the form.
  case uploadCompositeMultipart([MultipartFormBodyPart], urlParameters: [String: Any])
  /// Nothing, and the answer goes to a file.
  ///
  /// The file is written under a temporary name and appears at the destination once it is whole; neither an error nor a
  /// cancel leaves any of it. The response has a `fileURL` and no data.
  ///
  /// A 404 or a 503 is no error, and makes no file: a response with a status other than 200 to 299 has no `fileURL`, and its
  /// body, up to 1 MiB, as `data`. A target whose `validationType` is `.successCodes` makes an error of it, as does
  /// `filterSuccessfulStatusCodes()` on the response; statuses that `validationType` names make a file.
  case downloadDestination(DownloadDestination)
  /// Parameters, in the URL or the body as `encoding` says, and the answer goes to a file as with `downloadDestination`.
  case downloadParameters(
    parameters: [String: Any], encoding: any ParameterEncoding, destination: DownloadDestination)
  /// Parameters, if any, and the answer goes to a file whose download can be gone on with after an error or a cancel.
  ///
  /// As with `downloadDestination`, a 404 or a 503 is a response without a `fileURL` and no error; it keeps what had arrived before.
  ///
  /// What has arrived is kept in `<name>.part` beside the destination, and what it belongs to in `<name>.part.json`, without the URL;
  /// only this user can read them. A name too long for that gets a shorter one there. The
  /// next download of the same URL to the same destination asks for the rest (`Range`, RFC 9110, section 14), on condition that
  /// the content is the same (`If-Range`). Where it is not, all comes anew; a server that sends another range than the
  /// one asked for fails it with `DownloadError.wrongRange`. Without a strong `ETag` or `Last-Modified` nothing is kept:
  /// `ProgressResponse.resumeObstacle`, and `Response.resumeObstacle` of the response that an error carries, say why.
  /// One download at a time may go to a destination.
  case downloadResumable(
    to: URL, options: DownloadOptions = [], parameters: [String: Any] = [:],
    encoding: any ParameterEncoding = URLEncoding.queryString)
}

extension HTTPTask {
  /// A stream of Foundation's as the body, which can be sent once.
  ///
  /// - Parameters:
  ///   - stream: the stream, not yet opened; nobody else may use it from now on.
  ///   - length: the bytes that it has; `nil` where that is not known.
  /// - Returns: the task.
  public static func uploadStream(_ stream: InputStream, length: Int64? = nil) -> HTTPTask {
    .uploadStream(BodyStream(stream, length: length))
  }

  /// The older spelling of `uploadMultipartFormData(_:)`, with parts as older versions of Moya make them.
  ///
  /// - Parameter forms: the parts.
  /// - Returns: the task.
  @_disfavoredOverload public static func uploadMultipart(_ forms: [MultipartFormData]) -> HTTPTask {
    .uploadMultipart(forms.flatMap(\.parts))
  }

  /// The older spelling of `uploadCompositeMultipartFormData(_:urlParameters:)`, with parts as older versions of Moya make them.
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
