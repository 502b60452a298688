import Foundation

/// A folder of one test, removed with its contents at the end.
final class TemporaryFolder: Sendable {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent(
    UUID().uuidString, isDirectory: true)

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    // If it cannot be removed, the system removes it eventually.
    _ = try? FileManager.default.removeItem(at: url)
  }

  /// Whether a folder is on another volume than temporary files, and that volume has the given space.
  static func isOnOtherVolume(_ path: String, withBytes count: Int64) -> Bool {
    var (here, there) = (stat(), stat())
    guard stat(FileManager.default.temporaryDirectory.path, &here) == 0, stat(path, &there) == 0,
      here.st_dev != there.st_dev
    else { return false }
    let space = try? FileManager.default.attributesOfFileSystem(forPath: path)[.systemFreeSize]
    return (space as? NSNumber)?.int64Value ?? 0 >= count
  }

  /// The names of the folder's items, sorted.
  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted() }

  func file(_ name: String = "file") -> URL { url.appendingPathComponent(name) }

  /// Writes a file and returns its URL.
  func file(_ name: String = "file", containing data: Data) throws -> URL {
    try data.write(to: file(name))
    return file(name)
  }
}
