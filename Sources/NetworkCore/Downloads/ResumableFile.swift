import Foundation

/// A partial file beside its destination, and what is needed to go on with it.
struct ResumableFile {
  let file: PartialFile
  private let pointURL: URL
  private(set) var point: ResumePoint?

  /// Opens what there is of an earlier attempt, or begins.
  init(for place: FilePlacement) throws(DownloadError) {
    let url = place.destination.appendingPathExtension("part")
    file = try .resumable(url)
    pointURL = url.appendingPathExtension("json")
    point = (try? Data(contentsOf: pointURL)).flatMap {
      try? JSONDecoder().decode(ResumePoint.self, from: $0)
    }
    file.isKept = true
  }

  /// Whether there is something to go on with for a request; otherwise the file is emptied.
  mutating func resumes(_ url: String) throws(DownloadError) -> Bool {
    if let point, point.url == url, file.count > 0, file.count <= point.total ?? .max { return true }
    try restart(nil)
    return false
  }

  /// Begins anew, so that it can be gone on with where that is possible.
  mutating func restart(_ point: ResumePoint?) throws(DownloadError) {
    self.point = point
    // In this order: nothing of what was there may be taken for the new content.
    unlink(pointURL.path)
    try file.cut(to: 0)
    file.isKept = point != nil
    guard let point else { return }
    do {
      try JSONEncoder().encode(point).write(to: pointURL, options: .atomic)
    } catch {
      throw .cannotWrite(path: pointURL.path, reason: error.localizedDescription)
    }
  }

  /// Closes the file, which stays if it can be gone on with.
  func close() {
    if file.count > 0 { file.close() } else { discard() }
  }

  /// Takes away all that there is.
  func discard() {
    file.isKept = false
    unlink(pointURL.path)
    file.close()
  }

  /// Moves the whole file to its place.
  func move(to place: FilePlacement) throws(DownloadError) {
    try file.move(to: place)
    unlink(pointURL.path)
  }
}
