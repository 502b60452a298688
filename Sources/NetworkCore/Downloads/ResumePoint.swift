import Foundation

/// What is kept beside a partial file, to have the server go on only with the same content.
struct ResumePoint: Codable, Sendable, Hashable {
  /// What was requested.
  let url: String
  /// A strong `ETag` or, where there is none, a `Last-Modified` that is as good (RFC 9110, section 13.1.5).
  let validator: String
  /// The bytes of the whole file; `nil` where the server did not say.
  let total: Int64?

  /// What the head of a whole answer says; `nil` where nothing can be resumed by it.
  init?(_ response: Response, url: String) {
    let headers = response.headers
    // Ranges count the bytes of the encoded body, and those that are kept are decoded.
    guard headers["Content-Encoding"] == nil, let validator = Self.validator(headers),
      HTTPHeader(name: "If-Range", value: validator).canBeSent,
      headers["Accept-Ranges"]?.lowercased() != "none"
    else { return nil }
    self.url = url
    self.validator = validator
    total = headers["Content-Length"].flatMap { Int64($0) }
  }

  /// Whether an answer is to the same content as far as it says.
  func matches(_ headers: HTTPHeaders) -> Bool {
    let current = headers[validator.hasPrefix("\"") ? "ETag" : "Last-Modified"]
    return current == nil || current == validator
  }

  private static func validator(_ headers: HTTPHeaders) -> String? {
    if let tag = headers["ETag"] { return tag.hasPrefix("\"") ? tag : nil }
    // A second in which the file may have changed again after it was sent makes a weak validator (section 8.8.2.2).
    guard let text = headers["Last-Modified"], let modified = HTTPHeaders.date(text) else { return nil }
    let sent = headers["Date"].flatMap(HTTPHeaders.date) ?? Date()
    return sent.timeIntervalSince(modified) >= 1 ? text : nil
  }
}
