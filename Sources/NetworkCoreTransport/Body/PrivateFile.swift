package import Foundation

/// A small file that only this user can read, in a folder to which others may be able to write.
package enum PrivateFile {
  private static let limit = 1 << 16

  /// Returns the content of a file; `nil` if it cannot be read, is too large, or is not a regular file.
  package static func read(_ url: URL) -> Data? {
    // O_NONBLOCK: opening a pipe must not wait for a writer.
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

  /// Creates a file, which must not exist yet.
  package static func create(at path: String, containing data: Data) throws(SystemCallError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemCallError(code: errno) }
    defer { close(descriptor) }
    guard data.withUnsafeBytes({ writeAll(descriptor, $0) }) else { throw SystemCallError(code: errno) }
  }
}

/// A system call has failed.
package struct SystemCallError: Error {
  /// The value of `errno`.
  package let code: CInt
}
