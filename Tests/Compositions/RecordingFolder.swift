import Foundation

/// The folder of a program's recordings.
struct RecordingFolder: Sendable {
  let url: URL

  init(number: Int) {
    let name = "ReactiveNetworkStorm-\(ProcessInfo.processInfo.processIdentifier)-\(number)"
    url = FileManager.default.temporaryDirectory.appendingPathComponent(name)
  }

  /// A folder for one more layer that records, because a folder holds one recording; the first is `url`.
  var folderForLayer: URL {
    FileManager.default.fileExists(atPath: url.path) ? url.appendingPathComponent("\(UUID())") : url
  }

  /// Removes the folder, which may not exist.
  func remove() { try? FileManager.default.removeItem(at: url) }
}
