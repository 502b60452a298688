import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// How an answer becomes a file.
enum Download: Sendable {
  /// To a temporary file and then to where the closure says.
  case toDestination(DownloadDestination)
  /// To a partial file beside the destination, which is gone on with where there is one.
  case resumable(FilePlacement)

  init?(_ task: HTTPTask) {
    switch task {
    case .downloadDestination(let destination), .downloadParameters(_, _, let destination):
      self = .toDestination(destination)
    case .downloadResumable(let url, let options, _, _):
      self = .resumable(FilePlacement(destination: url, options: options))
    default: return nil
    }
  }
}

/// What the answer to a request for a part, or the whole, of a file brings.
enum DownloadPart: Equatable {
  /// All of it.
  case whole
  /// What was missing, up to so many bytes in all: what the server says or, where it does not know, what its part goes up to.
  case rest(total: Int64)
  /// Nothing: all was there before.
  case nothing
  /// Something else than what was asked for.
  case wrong(DownloadError)

  /// Looks at the head of an answer to a request from `offset` on, or for the whole where that is `nil`.
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
  /// The coding of the content, if it has one: `identity` changes nothing.
  var contentCoding: String? {
    self["Content-Encoding"].flatMap { $0.trimmed.lowercased() == "identity" ? nil : $0 }
  }
}

extension DownloadError {
  static func range(_ offset: Int64, _ received: String?) -> DownloadError {
    .wrongRange(asked: "bytes=\(offset)-", received: received)
  }
}
