import Foundation

/// Moves a whole file to its destination, where it appears at once or not at all.
struct FilePlacement {
  let destination: URL
  let options: DownloadOptions

  /// Makes what folders are missing, if that is wanted, and refuses a destination that cannot be written to.
  func check() throws(DownloadError) {
    guard destination.isFileURL else { throw .notAFileURL(destination.absoluteString) }
    if options.contains(.createIntermediateDirectories) {
      let folder = destination.deletingLastPathComponent()
      do {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      } catch {
        throw .cannotWrite(path: folder.path, reason: error.localizedDescription)
      }
    }
    var facts = stat()
    guard lstat(destination.path, &facts) == 0 else {
      // Known before anything is requested, if the destination is.
      if errno == ENAMETOOLONG { throw .cannotWrite(errno, destination.path) }
      return
    }
    guard facts.st_mode & S_IFMT != S_IFDIR else { throw .isDirectory(path: destination.path) }
    guard options.contains(.removePreviousFile) else { throw .fileExists(path: destination.path) }
  }

  /// Moves a file; it stays where it is where that fails.
  func move(_ file: URL) throws(DownloadError) {
    try check()
    guard try !moveWithinVolume(file.path) else { return }
    let copy = destination.deletingLastPathComponent().appendingPathComponent(
      ".\(UUID().uuidString).download")
    do throws(DownloadError) {
      try copyContent(of: file.path, to: copy.path)
      guard try moveWithinVolume(copy.path) else { throw .cannotWrite(EXDEV, destination.path) }
    } catch {
      unlink(copy.path)
      throw error
    }
    unlink(file.path)
  }

  /// Returns `false` where the file is on another volume.
  private func moveWithinVolume(_ path: String) throws(DownloadError) -> Bool {
    if !options.contains(.removePreviousFile) {
      // Unlike `rename`, it does not replace a file that has come since the check.
      if link(path, destination.path) == 0 {
        unlink(path)
        return true
      }
      if errno == EEXIST { throw .fileExists(path: destination.path) }
      if errno == EXDEV { return false }
      // Some file systems have no links.
    }
    if rename(path, destination.path) == 0 { return true }
    if errno == EXDEV { return false }
    throw .cannotWrite(errno, destination.path)
  }

  private func copyContent(of path: String, to copy: String) throws(DownloadError) {
    let source = open(path, O_RDONLY | O_CLOEXEC)
    guard source >= 0 else { throw .cannotWrite(errno, copy) }
    defer { close(source) }
    let target = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard target >= 0 else { throw .cannotWrite(errno, copy) }
    defer { close(target) }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = read(source, buffer.baseAddress, buffer.count)
      if count == 0 { return }
      if count < 0, errno == EINTR { continue }
      guard count > 0, writeAll(target, UnsafeRawBufferPointer(rebasing: buffer[..<count])) else {
        throw .cannotWrite(errno, copy)
      }
    }
  }
}

/// Writes all of some bytes; `false` where the system refuses, which `errno` explains.
func writeAll(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Bool {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
    if count < 0 {
      if errno == EINTR { continue }
      return false
    }
    rest = rest.dropFirst(count)
  }
  return true
}

extension DownloadError {
  /// A failure of the system.
  static func cannotWrite(_ code: CInt, _ path: String) -> DownloadError {
    .cannotWrite(path: path, reason: String(cString: strerror(code)))
  }
}
