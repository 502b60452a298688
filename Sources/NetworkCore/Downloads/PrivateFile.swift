import Foundation

/// A small file that only this user can read, in a folder where others may put files, too.
enum PrivateFile {
  private static let limit = 1 << 16

  /// The content of a file; `nil` if it cannot be read, is too large, or is something else than a file.
  static func read(_ url: URL) -> Data? {
    // NONBLOCK: opening a pipe must not wait for a writer.
    let descriptor = open(url.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_size <= limit else {
      return nil
    }
    var data = Data(count: Int(facts.st_size))
    var count = 0
    while count < data.count {
      let step = data.withUnsafeMutableBytes { bytes in
        Foundation.read(
          descriptor, UnsafeMutableRawBufferPointer(rebasing: bytes[count...]).baseAddress,
          bytes.count - count)
      }
      if step < 0, errno == EINTR { continue }
      guard step > 0 else { return nil }
      count += step
    }
    return data
  }

  /// Makes a file, which must not be there yet.
  static func create(at path: String, containing data: Data) throws(DownloadError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .cannotWrite(errno, path) }
    defer { close(descriptor) }
    guard data.withUnsafeBytes({ writeAll(descriptor, $0) }) else { throw .cannotWrite(errno, path) }
  }
}
