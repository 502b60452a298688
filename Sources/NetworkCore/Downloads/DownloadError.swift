public import Foundation

/// The reason why a download could not write its file.
public enum DownloadError: Error, Sendable, Hashable {
  /// The destination is not a file URL.
  case notAFileURL(String)
  /// A file already exists at the destination.
  case fileExists(path: String)
  /// The destination is a folder.
  case isDirectory(path: String)
  /// Another download to the same destination is active.
  case inUse(path: String)
  /// A file or folder could not be written, or the file could not be moved to its destination.
  case cannotWrite(path: String, reason: String)
  /// The request for a resumable download has a `Range` field of its own, but the download sets that field.
  case unexpectedRange(String)
  /// The server sent a part of the file that was not requested.
  ///
  /// The part was dropped, and the partial file of earlier attempts was removed.
  case wrongRange(asked: String, received: String?)
}

extension DownloadError: LocalizedError {
  /// A description of the error in one line.
  public var errorDescription: String? { Redactor.standard.redacted(text: sentence) }

  private var sentence: String {
    switch self {
    case .notAFileURL(let url):
      "\(Redactor.standard.redacted(url: url).debugDescription) is not a file URL."
    case .fileExists(let path):
      "A file already exists at \(path.debugDescription); use .removePreviousFile to replace it."
    case .isDirectory(let path): "There is a folder at \(path.debugDescription)."
    case .inUse(let path): "Another download to \(path.debugDescription) is active."
    case .cannotWrite(let path, let reason): "\(path.debugDescription) could not be written: \(reason)."
    case .unexpectedRange(let range):
      "The request has the Range \(range.debugDescription), but a resumable download sets Range itself."
    case .wrongRange(let asked, let received):
      "The range \(asked.debugDescription) was requested, but the server sent \((received ?? "none").debugDescription)."
    }
  }
}

extension DownloadError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable,
  SecretHidingError
{
  package var text: RedactableDescription {
    switch self {
    case .notAFileURL(let url):
      RedactableDescription("notAFileURL", (nil, .url(url)))
    case .fileExists(let path):
      RedactableDescription("fileExists", ("path", .text(path)))
    case .isDirectory(let path):
      RedactableDescription("isDirectory", ("path", .text(path)))
    case .inUse(let path):
      RedactableDescription("inUse", ("path", .text(path)))
    case .cannotWrite(let path, let reason):
      RedactableDescription("cannotWrite", ("path", .text(path)), ("reason", .text(reason)))
    case .unexpectedRange(let range): RedactableDescription("unexpectedRange", (nil, .text(range)))
    case .wrongRange(let asked, let received):
      RedactableDescription("wrongRange", ("asked", .text(asked)), ("received", .plain(received as Any)))
    }
  }
}
