import Foundation

/// A partial file next to its destination, with the data that is needed to resume it.
struct ResumableFile {
  let file: PartialFile
  private let metadataURL: URL
  private(set) var metadata: ResumeMetadata?

  /// Opens the file of an earlier attempt, or creates one.
  init(for place: FilePlacement) throws(DownloadError) {
    let name = Self.name(for: place.destination.lastPathComponent)
    let folder = place.destination.deletingLastPathComponent()
    metadataURL = folder.appendingPathComponent(name + ".part.json")
    file = try .resumable(folder.appendingPathComponent(name + ".part"), metadataURL: metadataURL)
    metadata = (try? PrivateFile.read(metadataURL.path, limit: 1 << 16)).flatMap {
      try? JSONDecoder().decode(ResumeMetadata.self, from: $0)
    }
    file.isKeptOnClose = true
  }

  /// Returns a name that leaves room for `.part.json` and differs for each destination.
  private static func name(for destination: String) -> String {
    guard destination.utf8.count > 245 else { return destination }
    return "\(destination.prefix(maxUTF8Count: 228))~\(SHA256.hex(destination.utf8).prefix(16))"
  }

  /// Returns `true` if a request can resume the file.
  ///
  /// Otherwise it empties the file.
  mutating func prepareToResume(_ url: String) throws(DownloadError) -> Bool {
    if let metadata, metadata.matches(url: url), file.count > 0, file.count <= metadata.total ?? .max {
      return true
    }
    try restart(nil)
    return false
  }

  /// Starts from the beginning.
  ///
  /// With metadata, the file can be resumed later.
  mutating func restart(_ metadata: ResumeMetadata?) throws(DownloadError) {
    self.metadata = metadata
    // In this order, because the old bytes must never be mistaken for the new content.
    unlink(metadataURL.path)
    try file.truncate(to: 0)
    file.isKeptOnClose = metadata != nil
    guard let metadata else { return }
    do {
      try PrivateFile.create(at: metadataURL.path, containing: JSONEncoder().encode(metadata))
    } catch let error as SystemCallError {
      throw .cannotWrite(error.code, metadataURL.path)
    } catch {
      throw .cannotWrite(path: metadataURL.path, reason: error.localizedDescription)
    }
  }

  /// Removes the file, unless it was closed, because its path may then belong to another download.
  func discard() {
    file.isKeptOnClose = false
    file.close()
  }
}
