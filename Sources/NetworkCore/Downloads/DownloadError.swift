public import Foundation

/// Why a downloaded file could not be kept.
public enum DownloadError: Error, Sendable, Hashable {
  /// The destination is not a file URL.
  case notAFileURL(String)
  /// There is a file at the destination already.
  case fileExists(path: String)
  /// There is a folder at the destination.
  case isDirectory(path: String)
  /// Another download to the same destination is under way.
  case inUse(path: String)
  /// A file or folder could not be written, or not be moved to its place.
  case cannotWrite(path: String, reason: String)
  /// The server sent another part of the file than the one that was asked for; nothing of it was kept, and what had been
  /// downloaded before has been removed.
  case wrongRange(asked: String, received: String?)
}

extension DownloadError: LocalizedError {
  /// What happened, in one line.
  public var errorDescription: String? { Secrets.standard.shown(text: sentence) }

  private var sentence: String {
    switch self {
    case .notAFileURL(let url):
      "\(Secrets.standard.shown(url: url).debugDescription) is not the URL of a file."
    case .fileExists(let path):
      "There is a file at \(path.debugDescription) already; .removePreviousFile replaces it."
    case .isDirectory(let path): "There is a folder at \(path.debugDescription)."
    case .inUse(let path): "Another download to \(path.debugDescription) is under way."
    case .cannotWrite(let path, let reason): "\(path.debugDescription) could not be written: \(reason)."
    case .wrongRange(let asked, let received):
      "The range \(asked.debugDescription) was asked for, and \((received ?? "none").debugDescription) came."
    }
  }
}

extension DownloadError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable,
  SecretHidingError
{
  package var text: SafeText {
    switch self {
    case .notAFileURL(let url):
      SafeText("notAFileURL", (nil, .url(url)))
    case .fileExists(let path):
      SafeText("fileExists", ("path", .text(path)))
    case .isDirectory(let path):
      SafeText("isDirectory", ("path", .text(path)))
    case .inUse(let path):
      SafeText("inUse", ("path", .text(path)))
    case .cannotWrite(let path, let reason):
      SafeText("cannotWrite", ("path", .text(path)), ("reason", .text(reason)))
    case .wrongRange(let asked, let received):
      SafeText("wrongRange", ("asked", .text(asked)), ("received", .plain(received as Any)))
    }
  }
}
