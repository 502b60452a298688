public import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

extension HTTPTask {
  /// Bytes as the body, with upload progress.
  ///
  /// - Parameter data: the bytes.
  /// - Returns: the task.
  public static func uploadData(_ data: Data) -> HTTPTask {
    .requestParameters(parameters: [:], encoding: BodyEncoding(body: .data(data)))
  }

  /// A stream as the body, read while it is sent.
  ///
  /// - Parameter stream: the stream.
  /// - Returns: the task.
  public static func uploadStream(_ stream: BodyStream) -> HTTPTask {
    .requestParameters(parameters: [:], encoding: BodyEncoding(body: .stream(stream)))
  }

  /// Returns a task with a stream of Foundation as the body, which can be sent once.
  ///
  /// - Parameters:
  ///   - stream: the stream, not yet opened; do not use it afterwards.
  ///   - length: the number of bytes; `nil` if unknown.
  /// - Returns: the task.
  public static func uploadStream(_ stream: InputStream, length: Int64? = nil) -> HTTPTask {
    .uploadStream(BodyStream(stream, length: length))
  }
}

extension HTTPTask {
  /// Whether there is no body, or it can be read again for another attempt.
  ///
  /// Not known of a body that an encoding of the application or `modify(_:)` sets.
  package var isRepeatable: Bool {
    if let form { return form.isRepeatable }
    guard case .requestParameters(_, let encoding as BodyEncoding) = self,
      case .stream(let stream) = encoding.body
    else { return true }
    return stream.isRepeatable
  }
}

/// Sets a body that is read while it is sent, and ignores parameters.
private struct BodyEncoding: ParameterEncoding {
  let body: TransportRequest.Body

  func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
    var request = try urlRequest.asURLRequest()
    request.httpBodyStream = BodyPlaceholder(.body(body))
    return request
  }
}
