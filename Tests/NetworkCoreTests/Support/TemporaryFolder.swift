import Foundation

/// A folder of a test's own, removed with its content at the end.
final class TemporaryFolder: Sendable {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent(
    UUID().uuidString, isDirectory: true)

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    // Where it cannot be removed, the system clears it away some day.
    _ = try? FileManager.default.removeItem(at: url)
  }

  /// The names of what is in the folder, sorted.
  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted() }

  func file(_ name: String = "file") -> URL { url.appendingPathComponent(name) }

  /// Writes a file and returns where it is.
  func file(_ name: String = "file", containing data: Data) throws -> URL {
    try data.write(to: file(name))
    return file(name)
  }
}
