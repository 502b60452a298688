package import Foundation

/// A small file that only this user can read, in a folder to which others may be able to write.
package enum PrivateFile {
  /// Returns the content of a regular file that belongs to this user.
  ///
  /// - Parameters:
  ///   - path: the path; a symbolic link at its end is not followed.
  ///   - limit: the greatest size in bytes.
  ///   - mayOthersWrite: whether other users may be able to write to the file.
  /// - Returns: the content.
  /// - Throws: an error with `EPERM` for another file, and with `EFBIG` for a larger one.
  package static func read(
    _ path: String, limit: Int, mayOthersWrite: Bool = true
  ) throws(SystemCallError) -> Data {
    // O_NONBLOCK: opening a pipe must not wait for a writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { throw SystemCallError(code: errno) }
    defer { close(descriptor) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else { throw SystemCallError(code: errno) }
    let isPrivate = facts.st_mode & (S_IWGRP | S_IWOTH) == 0
    guard facts.st_mode & S_IFMT == S_IFREG, facts.st_uid == geteuid(), isPrivate || mayOthersWrite else {
      throw SystemCallError(code: EPERM)
    }
    guard facts.st_size <= limit else { throw SystemCallError(code: EFBIG) }
    var data = Data(count: Int(facts.st_size))
    var count = 0
    while count < data.count {
      let step = data.withUnsafeMutableBytes { bytes in
        Foundation.read(
          descriptor, UnsafeMutableRawBufferPointer(rebasing: bytes[count...]).baseAddress,
          bytes.count - count)
      }
      if step < 0, errno == EINTR { continue }
      // 0 if the file has been truncated meanwhile.
      guard step > 0 else { throw SystemCallError(code: step < 0 ? errno : EIO) }
      count += step
    }
    return data
  }

  /// Creates a file, and removes it if the data cannot be written.
  ///
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - data: its content.
  /// - Throws: an error with `EEXIST` if a file already has the path, or another error of the system.
  package static func create(at path: String, containing data: Data) throws(SystemCallError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemCallError(code: errno) }
    let isWritten = data.withUnsafeBytes { writeAll(descriptor, $0) }
    let code = errno
    // Some file systems report only now that they cannot write.
    guard close(descriptor) == 0, isWritten else {
      let error = SystemCallError(code: isWritten ? errno : code)
      unlink(path)
      throw error
    }
  }

  /// Creates a file, which must not exist yet and appears only when it is complete.
  ///
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - data: its content.
  ///   - part: a path that is not in use in the same folder.
  /// - Throws: an error with `EEXIST` if a file already has the path, or another error of the system.
  package static func publish(
    at path: String, containing data: Data, through part: String
  ) throws(SystemCallError) {
    try create(at: part, containing: data)
    defer { unlink(part) }
    if link(part, path) == 0 { return }
    // Some file systems do not support links.
    guard errno != EEXIST else { throw SystemCallError(code: EEXIST) }
    try create(at: path, containing: data)
  }

  /// Creates or replaces a file, which appears only when it is complete.
  ///
  /// The data is not forced to the disk.
  ///
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - data: its content.
  ///   - part: a path that is not in use in the same folder.
  /// - Throws: the error of the system.
  package static func replace(
    at path: String, with data: Data, through part: String
  ) throws(SystemCallError) {
    do throws(SystemCallError) {
      try create(at: part, containing: data)
      guard rename(part, path) == 0 else { throw SystemCallError(code: errno) }
    } catch {
      unlink(part)
      throw error
    }
  }
}

/// A system call has failed.
package struct SystemCallError: Error {
  /// The value of `errno`.
  package let code: CInt

  /// The system's message.
  package var message: String { String(cString: strerror(code)) }
}
