public import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Why a resumable download begins anew after it was cut off.
///
/// A download is resumed only if the server can tell whether the content is still the same (RFC 9110, section 13.1.5).
public enum ResumeObstacle: Error, Sendable, Hashable {
  /// The answer has no `ETag` field, and no `Last-Modified` field that a `Date` field shows to be old enough.
  case noValidator
  /// The `ETag` is a weak one, which may stay the same when some bytes change.
  case weakTag(String)
  /// The `Last-Modified` field names the second in which the answer was sent, or a later one; the content may change again in it.
  case recentlyModified(String)
  /// The `ETag` or `Last-Modified` field is malformed.
  case invalidValidator(String)
  /// The content came encoded although it was asked for as it is; ranges would count other bytes than those of the file.
  case contentEncoding(String)
  /// The server says that it sends no ranges (`Accept-Ranges: none`).
  case rangesRefused
  /// The server sent the whole file although the rest of it was asked for and its content had not changed. What arrives is kept, but
  /// the next attempt begins anew unless the server heeds its range.
  case rangeIgnored
}

extension ResumeObstacle: LocalizedError {
  /// What is in the way, in one line.
  public var errorDescription: String? { Secrets.standard.shown(text: sentence) }

  private var sentence: String {
    switch self {
    case .noValidator:
      "The answer has no ETag and no Last-Modified with a Date, so the download cannot be resumed."
    case .weakTag(let tag): "The ETag \(tag.debugDescription) is weak, so the download cannot be resumed."
    case .recentlyModified(let date):
      "The content was modified in the second of the answer (\(date.debugDescription)), so the download cannot be resumed."
    case .invalidValidator(let text):
      "The ETag or Last-Modified \(text.debugDescription) is malformed, so the download cannot be resumed."
    case .contentEncoding(let coding):
      "The content is encoded (\(coding.debugDescription)), so the download cannot be resumed."
    case .rangesRefused:
      "The server sends no ranges (Accept-Ranges: none), so the download cannot be resumed."
    case .rangeIgnored:
      "The server ignored the range and sent the whole file, so the download cannot be resumed."
    }
  }
}

extension ResumeObstacle: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable,
  SecretHidingError
{
  package var text: SafeText {
    switch self {
    case .noValidator: "noValidator"
    case .weakTag(let tag): SafeText("weakTag", (nil, .text(tag)))
    case .recentlyModified(let date): SafeText("recentlyModified", (nil, .text(date)))
    case .invalidValidator(let text): SafeText("invalidValidator", (nil, .text(text)))
    case .contentEncoding(let coding): SafeText("contentEncoding", (nil, .text(coding)))
    case .rangesRefused: "rangesRefused"
    case .rangeIgnored: "rangeIgnored"
    }
  }
}

extension Response {
  /// Why a resumable download of this answer begins anew if it is cut off; `nil` if it can be resumed.
  ///
  /// After a download that failed midway, `error.response?.resumeObstacle` says whether the next attempt begins anew. It is `nil` for
  /// an answer other than a whole file: for a status other than 200 to 299, and for the rest of a file (206).
  public var resumeObstacle: ResumeObstacle? {
    guard 200..<300 ~= statusCode, statusCode != 206 else { return nil }
    do {
      let point = try ResumePoint(self, url: "")
      guard request?.value(forHTTPHeaderField: "Range") != nil else { return nil }
      return request?.value(forHTTPHeaderField: "If-Range") == point.validator ? .rangeIgnored : nil
    } catch {
      return error
    }
  }
}
