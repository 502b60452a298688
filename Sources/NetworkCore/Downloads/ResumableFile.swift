import Foundation

/// A partial file beside its destination, and what is needed to go on with it.
struct ResumableFile {
  let file: PartialFile
  private let notes: URL
  private(set) var point: ResumePoint?

  /// Opens what there is of an earlier attempt, or begins.
  init(for place: FilePlacement) throws(DownloadError) {
    let name = Self.name(for: place.destination.lastPathComponent)
    let folder = place.destination.deletingLastPathComponent()
    notes = folder.appendingPathComponent(name + ".part.json")
    file = try .resumable(folder.appendingPathComponent(name + ".part"), notes: notes)
    point = PrivateFile.read(notes).flatMap { try? JSONDecoder().decode(ResumePoint.self, from: $0) }
    file.isKept = true
  }

  /// A name that leaves room for `.part.json`, and is another one for each destination.
  private static func name(for destination: String) -> String {
    guard destination.utf8.count > 245 else { return destination }
    return "\(destination.prefix(maxUTF8Count: 228))~\(SHA256.hex(destination.utf8).prefix(16))"
  }

  /// Whether there is something to go on with for a request; otherwise the file is emptied.
  mutating func resumes(_ url: String) throws(DownloadError) -> Bool {
    if let point, point.isOf(url), file.count > 0, file.count <= point.total ?? .max { return true }
    try restart(nil)
    return false
  }

  /// Begins anew, so that it can be gone on with where that is possible.
  mutating func restart(_ point: ResumePoint?) throws(DownloadError) {
    self.point = point
    // In this order: nothing of what was there may be taken for the new content.
    unlink(notes.path)
    try file.cut(to: 0)
    file.isKept = point != nil
    guard let point else { return }
    let data: Data
    do {
      data = try JSONEncoder().encode(point)
    } catch {
      throw .cannotWrite(path: notes.path, reason: error.localizedDescription)
    }
    try PrivateFile.create(at: notes.path, containing: data)
  }

  /// Closes the file, which stays if it can be gone on with.
  func close() {
    if file.count > 0 { file.close() } else { discard() }
  }

  /// Takes away all that there is, unless the file has been closed: what is there now may be another download's.
  func discard() {
    file.isKept = false
    file.close()
  }

  /// Moves the whole file to its place.
  func move(to place: FilePlacement) throws(DownloadError) {
    try file.move(to: place)
  }
}
