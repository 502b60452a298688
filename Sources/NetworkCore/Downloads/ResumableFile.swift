import Foundation

/// A partial file next to its destination, with the data that is needed to resume it.
struct ResumableFile {
  let file: PartialFile
  private let metadata: URL
  private(set) var point: ResumePoint?

  /// Opens the file of an earlier attempt, or creates one.
  init(for place: FilePlacement) throws(DownloadError) {
    let name = Self.name(for: place.destination.lastPathComponent)
    let folder = place.destination.deletingLastPathComponent()
    metadata = folder.appendingPathComponent(name + ".part.json")
    file = try .resumable(folder.appendingPathComponent(name + ".part"), metadata: metadata)
    point = PrivateFile.read(metadata).flatMap { try? JSONDecoder().decode(ResumePoint.self, from: $0) }
    file.isKept = true
  }

  /// Returns a name that leaves room for `.part.json` and differs for each destination.
  private static func name(for destination: String) -> String {
    guard destination.utf8.count > 245 else { return destination }
    return "\(destination.prefix(maxUTF8Count: 228))~\(SHA256.hex(destination.utf8).prefix(16))"
  }

  /// Returns `true` if a request can resume the file.
  ///
  /// Otherwise it empties the file.
  mutating func resumes(_ url: String) throws(DownloadError) -> Bool {
    if let point, point.isOf(url), file.count > 0, file.count <= point.total ?? .max { return true }
    try restart(nil)
    return false
  }

  /// Starts from the beginning.
  ///
  /// With a resume point, the file can be resumed later.
  mutating func restart(_ point: ResumePoint?) throws(DownloadError) {
    self.point = point
    // In this order, because the old bytes must never be mistaken for the new content.
    unlink(metadata.path)
    try file.cut(to: 0)
    file.isKept = point != nil
    guard let point else { return }
    do {
      try PrivateFile.create(at: metadata.path, containing: JSONEncoder().encode(point))
    } catch let error as SystemCallError {
      throw .cannotWrite(error.code, metadata.path)
    } catch {
      throw .cannotWrite(path: metadata.path, reason: error.localizedDescription)
    }
  }

  /// Closes the file.
  ///
  /// It stays if it can be resumed.
  func close() {
    if file.count > 0 { file.close() } else { discard() }
  }

  /// Removes the file, unless it was closed, because its path may then belong to another download.
  func discard() {
    file.isKept = false
    file.close()
  }

  /// Moves the complete file to its destination.
  func move(to place: FilePlacement) throws(DownloadError) {
    try file.move(to: place)
  }
}
