public import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The reason why a resumable download starts from the beginning after an interruption.
///
/// A download is resumed only if the server can check whether the content is still the same (RFC 9110,
/// section 13.1.5).
public enum ResumeObstacle: Error, Sendable, Hashable {
  /// The response has no `ETag` field, and no `Last-Modified` field with a `Date` field to compare it with.
  case noValidator
  /// The `ETag` is weak: it may stay the same when some bytes change.
  case weakTag(String)
  /// The `Last-Modified` field names the second in which the response was sent, or a later one.
  ///
  /// The content may change again within that second.
  case recentlyModified(String)
  /// The `ETag` or `Last-Modified` field is malformed, or the `ETag` is not ASCII.
  case invalidValidator(String)
  /// The content is encoded although the request asked for `identity`.
  ///
  /// Ranges would not count the bytes of the file.
  case contentEncoding(String)
  /// The server does not support ranges (`Accept-Ranges: none`).
  case rangesRefused
  /// The server sent the whole file although only the rest was requested and the content had not changed.
  ///
  /// The bytes that arrive are kept, but the next attempt starts from the beginning too, unless the server
  /// then honors the range.
  case rangeIgnored
}

extension ResumeObstacle: LocalizedError {
  /// A description of the obstacle in one line.
  public var errorDescription: String? { Redactor.standard.redacted(text: sentence) }

  private var sentence: String {
    switch self {
    case .noValidator:
      "The response has no ETag and no Last-Modified with a Date, so the download cannot be resumed."
    case .weakTag(let tag): "The ETag \(tag.debugDescription) is weak, so the download cannot be resumed."
    case .recentlyModified(let date):
      "The Last-Modified date \(date.debugDescription) is not earlier than the Date, so the download cannot be resumed."
    case .invalidValidator(let text):
      "The ETag or Last-Modified \(text.debugDescription) is malformed, so the download cannot be resumed."
    case .contentEncoding(let coding):
      "The content is encoded (\(coding.debugDescription)), so the download cannot be resumed."
    case .rangesRefused:
      "The server does not support ranges (Accept-Ranges: none), so the download cannot be resumed."
    case .rangeIgnored:
      "The server ignored the range and sent the whole file, so the download cannot be resumed."
    }
  }
}

extension ResumeObstacle: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable,
  SecretHidingError
{
  package var text: RedactableDescription {
    switch self {
    case .noValidator: "noValidator"
    case .weakTag(let tag): RedactableDescription("weakTag", (nil, .text(tag)))
    case .recentlyModified(let date): RedactableDescription("recentlyModified", (nil, .text(date)))
    case .invalidValidator(let text): RedactableDescription("invalidValidator", (nil, .text(text)))
    case .contentEncoding(let coding): RedactableDescription("contentEncoding", (nil, .text(coding)))
    case .rangesRefused: "rangesRefused"
    case .rangeIgnored: "rangeIgnored"
    }
  }
}

extension Response {
  /// The reason why a resumable download of this response cannot be resumed; `nil` if it can.
  ///
  /// After a download that failed midway, `error.response?.resumeObstacle` is the reason why the next attempt
  /// starts from the beginning. It is also `nil` for a response that is not a whole file: a response with a
  /// status other than 200 to 299, or with the rest of a file (206).
  public var resumeObstacle: ResumeObstacle? {
    guard 200..<300 ~= statusCode, statusCode != 206 else { return nil }
    do {
      let metadata = try ResumeMetadata(self, url: "")
      guard request?.value(forHTTPHeaderField: "Range") != nil else { return nil }
      return request?.value(forHTTPHeaderField: "If-Range") == metadata.validator ? .rangeIgnored : nil
    } catch {
      return error
    }
  }
}
