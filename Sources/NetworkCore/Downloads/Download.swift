import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The way in which the body of a response is written to a file.
enum Download: Sendable {
  /// The body goes to a temporary file, which is then moved to the URL that the closure returns.
  case toDestination(DownloadDestination)
  /// The body goes to a partial file next to the destination. An existing partial file is resumed.
  case resumable(FilePlacement)

  init?(_ task: HTTPTask) {
    if let placement = task.resumablePlacement {
      self = .resumable(placement)
      return
    }
    switch task {
    case .downloadDestination(let destination), .downloadParameters(_, _, let destination):
      self = .toDestination(destination)
    default: return nil
    }
  }
}

/// The content of a response to a request for a file, or for the missing part of a file.
enum RangeResponse: Equatable {
  /// The whole file.
  case whole
  /// The missing part. `total` is the size of the whole file according to the server or, if the server does
  /// not know it, the end of the part.
  case rest(total: Int64)
  /// Nothing, because the file is already complete.
  case nothing
  /// Content other than the requested part; the download fails with this error.
  case wrong(DownloadError)

  /// Inspects the head of a response to a request for the bytes from `offset`, or for the whole file if
  /// `offset` is `nil`.
  init(_ response: Response, from offset: Int64?, _ point: ResumePoint?) {
    let text = response.headers["Content-Range"]
    let received = text.flatMap(ContentRange.init)
    switch (response.statusCode, offset) {
    case (206, let offset?):
      guard let range = received?.range, range.lowerBound == offset,
        point?.matches(response.headers) != false,
        (point?.total ?? received?.total) == (received?.total ?? point?.total),
        response.headers.contentCoding == nil
      else {
        self = .wrong(.range(offset, text))
        return
      }
      self = .rest(total: received?.total ?? point?.total ?? range.upperBound)
    case (206, nil): self = .wrong(.wrongRange(asked: "none", received: text))
    case (416, let offset?):
      let isWhole =
        received?.range == nil && received?.total == offset && point?.total ?? offset == offset
        && point?.matches(response.headers) != false
      self = isWhole ? .nothing : .wrong(.range(offset, text))
    default: self = .whole
    }
  }
}

extension HTTPHeaders {
  /// The coding of the content; `nil` if it is absent or `identity`, which changes nothing.
  var contentCoding: String? {
    self["Content-Encoding"].flatMap { $0.trimmed.lowercased() == "identity" ? nil : $0 }
  }
}

extension DownloadError {
  static func range(_ offset: Int64, _ received: String?) -> DownloadError {
    .wrongRange(asked: "bytes=\(offset)-", received: received)
  }
}
