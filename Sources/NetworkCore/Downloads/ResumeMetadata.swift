import Foundation

/// The data that is stored with a partial file, so that it is resumed only if the content is still the same.
struct ResumeMetadata: Codable, Sendable, Hashable {
  /// The hash of the requested URL.
  ///
  /// The URL itself may contain a signature or a token.
  let resource: String
  /// A strong `ETag` or, without one, a `Last-Modified` that its `Date` makes strong (RFC 9110, section
  /// 13.1.5).
  let validator: String
  /// The size of the whole file in bytes; `nil` if the server did not send it.
  let total: Int64?

  /// Creates the metadata from the head of a response with the whole file.
  ///
  /// - Throws: the reason why the download cannot be resumed.
  init(_ response: Response, url: String) throws(ResumeObstacle) {
    let headers = response.headers
    // Ranges count the bytes of the encoded body, but the file contains decoded bytes.
    if let coding = headers.contentCoding { throw .contentEncoding(coding) }
    let validator = try Self.validator(headers)
    // Other bytes than those of ASCII might not go back as they came.
    guard HTTPHeader(name: "If-Range", value: validator).canBeSent, validator.utf8.allSatisfy({ $0 < 0x80 })
    else {
      throw .invalidValidator(validator)
    }
    if headers["Accept-Ranges"]?.lowercased() == "none" { throw .rangesRefused }
    self.resource = SHA256.hex(url.utf8)
    self.validator = validator
    total = headers.contentLength
  }

  /// Whether the file was downloaded from a URL.
  func matches(url: String) -> Bool { resource == SHA256.hex(url.utf8) }

  /// Whether a response has the same content, as far as its header fields show.
  func matches(_ headers: HTTPHeaders) -> Bool {
    let current = headers[validator.hasPrefix("\"") ? "ETag" : "Last-Modified"]
    return current == nil || current == validator
  }

  private static func validator(_ headers: HTTPHeaders) throws(ResumeObstacle) -> String {
    if let tag = headers["ETag"] {
      guard tag.hasPrefix("\"") else { throw tag.hasPrefix("W/") ? .weakTag(tag) : .invalidValidator(tag) }
      // Several tags, in one line or in several, have more quotation marks (section 8.8.3).
      let mark = UInt8(ascii: "\"")
      guard tag.utf8.last == mark, tag.utf8.count(where: { $0 == mark }) == 2 else {
        throw .invalidValidator(tag)
      }
      return tag
    }
    guard let text = headers["Last-Modified"] else { throw .noValidator }
    guard let modified = HTTPHeaders.date(text) else { throw .invalidValidator(text) }
    // The validator is weak if the file may have changed again in the second in which it was sent (section
    // 8.8.2.2). Without a Date the age is unknown, because a later reader of the response does not know when
    // it arrived.
    guard let sent = headers["Date"].flatMap(HTTPHeaders.date) else { throw .noValidator }
    guard sent.timeIntervalSince(modified) >= 1 else { throw .recentlyModified(text) }
    return text
  }
}
