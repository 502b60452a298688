public import Foundation

/// The reason why responses could not be written to files, or read from them.
public enum RecordingError: Error, Sendable, Hashable {
  /// The file or folder cannot be written.
  case cannotWrite(path: String, reason: String)
  /// The folder has files with the extension `json`, or this file exists already: they may belong to another
  /// recording.
  case alreadyRecorded(path: String)
  /// The file or folder cannot be read, or is not a recording.
  case cannotRead(path: String, reason: String)
}

extension RecordingError: LocalizedError {
  /// A description of the error in one line.
  public var errorDescription: String? { Redactor.standard.redacted(text: sentence) }

  private var sentence: String {
    switch self {
    case .cannotWrite(let path, let reason): "The recording \"\(path)\" cannot be written: \(reason)"
    case .alreadyRecorded(let path):
      "\(path.debugDescription) may belong to another recording. Remove that, or record to another folder."
    case .cannotRead(let path, let reason): "The recording \"\(path)\" cannot be read: \(reason)"
    }
  }
}

extension RecordingError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable,
  SecretHidingError
{
  package var text: RedactableDescription {
    switch self {
    case .cannotWrite(let path, let reason):
      RedactableDescription("cannotWrite", ("path", .text(path)), ("reason", .text(reason)))
    case .alreadyRecorded(let path):
      RedactableDescription("alreadyRecorded", ("path", .text(path)))
    case .cannotRead(let path, let reason):
      RedactableDescription("cannotRead", ("path", .text(path)), ("reason", .text(reason)))
    }
  }
}
