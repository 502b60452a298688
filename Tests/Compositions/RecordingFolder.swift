import Foundation

/// The folder of a program's recordings.
struct RecordingFolder: Sendable {
  let url: URL

  init(number: Int) {
    let name = "ReactiveNetworkStorm-\(ProcessInfo.processInfo.processIdentifier)-\(number)"
    url = FileManager.default.temporaryDirectory.appendingPathComponent(name)
  }

  /// Removes the folder, which may not exist.
  func remove() { try? FileManager.default.removeItem(at: url) }
}
