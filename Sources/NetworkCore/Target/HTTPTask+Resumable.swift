public import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

extension HTTPTask {
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
  ///
  /// - Parameters:
  ///   - url: the destination, a file URL.
  ///   - options: what happens to an existing file, and whether folders are created.
  ///   - parameters: the parameters.
  ///   - encoding: the encoding of the parameters.
  /// - Returns: the task.
  public static func downloadResumable(
    to url: URL, options: DownloadOptions = [], parameters: [String: Any] = [:],
    encoding: any ParameterEncoding = URLEncoding.queryString
  ) -> HTTPTask {
    .downloadParameters(
      parameters: parameters,
      encoding: ResumableEncoding(
        encoding: encoding, placement: FilePlacement(destination: url, options: options)),
      destination: { _, _ in (url, options) })
  }

  /// The place of the file of a resumable download; `nil` for other tasks.
  var resumablePlacement: FilePlacement? {
    guard case .downloadParameters(_, let encoding as ResumableEncoding, _) = self else { return nil }
    return encoding.placement
  }
}

/// Writes parameters with an encoding, and marks the download as resumable.
private struct ResumableEncoding: ParameterEncoding {
  let encoding: any ParameterEncoding
  let placement: FilePlacement

  func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
    try encoding.encode(urlRequest, with: parameters)
  }
}
