import Foundation

/// What is kept beside a partial file, to have the server go on only with the same content.
struct ResumePoint: Codable, Sendable, Hashable {
  /// The hash of the URL that was requested, which may hold a signature or a token.
  let resource: String
  /// A strong `ETag` or, where there is none, a `Last-Modified` that is as good by its `Date` (RFC 9110, section 13.1.5).
  let validator: String
  /// The bytes of the whole file; `nil` where the server did not say.
  let total: Int64?

  /// What the head of a whole answer says.
  ///
  /// - Throws: why nothing can be resumed by it.
  init(_ response: Response, url: String) throws(ResumeObstacle) {
    let headers = response.headers
    // Ranges count the bytes of the encoded body, and those that are kept are decoded.
    if let coding = headers.contentCoding { throw .contentEncoding(coding) }
    let validator = try Self.validator(headers)
    guard HTTPHeader(name: "If-Range", value: validator).canBeSent else { throw .invalidValidator(validator) }
    if headers["Accept-Ranges"]?.lowercased() == "none" { throw .rangesRefused }
    self.resource = SHA256.hex(url.utf8)
    self.validator = validator
    total = headers["Content-Length"].flatMap { Int64($0) }
  }

  /// Whether it belongs to a URL.
  func isOf(_ url: String) -> Bool { resource == SHA256.hex(url.utf8) }

  /// Whether an answer is to the same content as far as it says.
  func matches(_ headers: HTTPHeaders) -> Bool {
    let current = headers[validator.hasPrefix("\"") ? "ETag" : "Last-Modified"]
    return current == nil || current == validator
  }

  private static func validator(_ headers: HTTPHeaders) throws(ResumeObstacle) -> String {
    if let tag = headers["ETag"] {
      guard tag.hasPrefix("\"") else { throw tag.hasPrefix("W/") ? .weakTag(tag) : .invalidValidator(tag) }
      return tag
    }
    guard let text = headers["Last-Modified"] else { throw .noValidator }
    guard let modified = HTTPHeaders.date(text) else { throw .invalidValidator(text) }
    // A second in which the file may have changed again after it was sent makes a weak validator (section 8.8.2.2).
    // Without a Date the age is unknown: a later reader of the answer does not know when it arrived.
    guard let sent = headers["Date"].flatMap(HTTPHeaders.date) else { throw .noValidator }
    guard sent.timeIntervalSince(modified) >= 1 else { throw .recentlyModified(text) }
    return text
  }
}
