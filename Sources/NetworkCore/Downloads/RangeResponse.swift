import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The content of a response to a request for a file, or for the missing part of a file.
enum RangeResponse: Equatable {
  /// The whole file.
  case whole
  /// The missing part; `total` is the size of the whole file according to the server.
  case remainder(total: Int64)
  /// No content, because the file is already complete.
  case alreadyComplete
  /// Content other than the requested part; the download fails with this error.
  case invalid(DownloadError)

  /// Inspects the head of a response to a request for the bytes from `offset`, or for the whole file if
  /// `offset` is `nil`.
  init(_ response: Response, from offset: Int64?, _ metadata: ResumeMetadata?) {
    let text = response.headers["Content-Range"]
    let received = text.flatMap(ContentRange.init)
    switch (response.statusCode, offset) {
    case (206, let offset?):
      guard received?.range?.lowerBound == offset,
        metadata?.matches(response.headers) != false,
        // Without a size, nothing says that the part is not followed by another one.
        let total = received?.total ?? metadata?.total, (metadata?.total ?? total) == total,
        response.headers.contentCoding == nil
      else {
        self = .invalid(.range(offset, text))
        return
      }
      self = .remainder(total: total)
    case (206, nil):
      // The range is one of encoded bytes.
      let isWhole = received?.isWhole == true && response.headers.contentCoding == nil
      self = isWhole ? .whole : .invalid(.wrongRange(asked: "none", received: text))
    case (416, let offset?):
      // A server need not send the size (RFC 9110, section 15.5.17), which may be known.
      let total = text == nil ? metadata?.total : received?.total
      let isWhole =
        received?.range == nil && total == offset && metadata?.total ?? offset == offset
        && metadata?.matches(response.headers) != false
      self = isWhole ? .alreadyComplete : .invalid(.range(offset, text))
    default: self = .whole
    }
  }
}

extension HTTPHeaders {
  /// The coding of the content; `nil` if it is absent or `identity`, which changes nothing.
  var contentCoding: String? {
    self["Content-Encoding"].flatMap { $0.trimmed.lowercased() == "identity" ? nil : $0 }
  }

  /// The length of the content in bytes; `nil` if it is not announced, or if a transfer coding delimits the body
  /// (RFC 9112, section 6.3).
  var contentLength: Int64? {
    self["Transfer-Encoding"] == nil ? self["Content-Length"].flatMap { Int64($0) } : nil
  }
}

extension DownloadError {
  static func range(_ offset: Int64, _ received: String?) -> DownloadError {
    .wrongRange(asked: "bytes=\(offset)-", received: received)
  }
}
