import Foundation

/// Moves a complete file to its destination atomically.
struct FilePlacement {
  let destination: URL
  let options: DownloadOptions

  /// Creates missing folders if the options allow it, and throws if the destination cannot be written to.
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
      // Checked here, so that a resumable download, whose destination is known, fails before it is sent.
      if errno == ENAMETOOLONG { throw .cannotWrite(errno, destination.path) }
      return
    }
    guard facts.st_mode & S_IFMT != S_IFDIR else { throw .isDirectory(path: destination.path) }
    guard options.contains(.removePreviousFile) else { throw .fileExists(path: destination.path) }
  }

  /// Moves a file.
  ///
  /// If that fails, the file stays in its old place.
  ///
  /// - Parameters:
  ///   - file: the file, after `synchronize(_:)`.
  ///   - isCancelled: whether to stop and throw; called repeatedly until the last step begins.
  /// - Throws: the reason why the file could not be moved.
  func move(_ file: URL, unless isCancelled: () -> Bool) throws(DownloadError) {
    try check()
    guard try !moveWithinVolume(file.path, unless: isCancelled) else { return }
    let copy = destination.deletingLastPathComponent().appendingPathComponent(
      ".\(UUID().uuidString).download"
    ).path
    let target = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard target >= 0 else { throw .cannotWrite(errno, copy) }
    defer { close(target) }
    do throws(DownloadError) {
      try copyContent(of: file.path, to: target, unless: isCancelled)
      try synchronize(target)
      guard try moveWithinVolume(copy, unless: isCancelled) else {
        throw .cannotWrite(EXDEV, destination.path)
      }
    } catch {
      unlink(copy)
      throw error
    }
    unlink(file.path)
  }

  /// Returns `false` if the file is on another volume.
  private func moveWithinVolume(
    _ path: String, unless isCancelled: () -> Bool
  ) throws(DownloadError) -> Bool {
    guard !isCancelled() else { throw .cancelledMove(to: destination) }
    if !options.contains(.removePreviousFile) {
      // Unlike `rename`, `link` does not replace a file that was created after the check.
      if link(path, destination.path) == 0 {
        unlink(path)
        return true
      }
      if errno == EEXIST { throw .fileExists(path: destination.path) }
      if errno == EXDEV { return false }
      // Some file systems do not support links.
    }
    if rename(path, destination.path) == 0 { return true }
    if errno == EXDEV { return false }
    throw .cannotWrite(errno, destination.path)
  }

  /// Forces the content of a file to the disk, and reports the errors of writing that the system has kept back.
  ///
  /// A power failure after the move could otherwise leave an empty file.
  func synchronize(_ descriptor: CInt) throws(DownloadError) {
    // EINVAL: the file system has nothing to force.
    var result = fsync(descriptor)
    while result != 0, errno == EINTR { result = fsync(descriptor) }
    guard result == 0 || errno == EINVAL else { throw .cannotWrite(errno, destination.path) }
    // Some file systems report errors only to `close`. The file stays open, and so locked, through the
    // descriptor itself.
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    // Without another descriptor, this check is not possible.
    guard copy >= 0 else { return }
    // After EINTR, Linux has closed it.
    guard close(copy) == 0 || errno == EINTR else { throw .cannotWrite(errno, destination.path) }
  }

  private func copyContent(
    of path: String, to target: CInt, unless isCancelled: () -> Bool
  ) throws(DownloadError) {
    let source = open(path, O_RDONLY | O_CLOEXEC)
    guard source >= 0 else { throw .cannotWrite(errno, path) }
    defer { close(source) }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      guard !isCancelled() else { throw .cancelledMove(to: destination) }
      let count = read(source, buffer.baseAddress, buffer.count)
      if count == 0 { return }
      if count < 0, errno == EINTR { continue }
      guard count > 0, writeAll(target, UnsafeRawBufferPointer(rebasing: buffer[..<count])) else {
        throw .cannotWrite(errno, destination.path)
      }
    }
  }
}

extension DownloadError {
  /// The error of a cancelled move, which no caller sees: the request has ended as cancelled.
  fileprivate static func cancelledMove(to destination: URL) -> DownloadError {
    .cannotWrite(path: destination.path, reason: "the download was cancelled")
  }

  /// Creates an error from a code of `errno`.
  static func cannotWrite(_ code: CInt, _ path: String) -> DownloadError {
    .cannotWrite(path: path, reason: String(cString: strerror(code)))
  }
}
