package import Foundation

/// Reads a file from its beginning to a limit, or to the end that it had when it was opened.
///
/// Each call may block on the file system.
package final class FileReader {
  /// The length of the file in bytes when it was opened.
  package let length: Int64
  private let path: String
  private let descriptor: Int32
  private var remaining: Int64

  /// Opens a file, of which at most `limit` bytes are read.
  ///
  /// - Throws: `TransferError.cannotReadFile` if the path does not exist, cannot be read or is not a file.
  package init(_ url: URL, upTo limit: Int64 = .max) throws(TransferError) {
    guard url.isFileURL else {
      throw .cannotReadFile(path: url.absoluteString, reason: "it is not a file URL")
    }
    path = url.path
    var fileStatus = stat()
    // Checked before opening because opening a pipe waits for a writer.
    if stat(path, &fileStatus) == 0, fileStatus.st_mode & S_IFMT != S_IFREG {
      throw .cannotReadFile(path: path, reason: "it is not a regular file")
    }
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .cannotReadFile(path: path, reason: .lastSystemError) }
    let known = fstat(descriptor, &fileStatus) == 0
    guard known, fileStatus.st_mode & S_IFMT == S_IFREG else {
      let reason = known ? "it is not a regular file" : String.lastSystemError
      close(descriptor)
      throw .cannotReadFile(path: path, reason: reason)
    }
    length = Int64(fileStatus.st_size)
    remaining = min(length, limit)
  }

  /// Whether all bytes up to the limit have been read.
  var isAtEnd: Bool { remaining == 0 }

  deinit {
    close(descriptor)
  }

  /// Fills a buffer with the next bytes; returns their number, 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransferError) -> Int {
    let wanted = Int(clamping: min(remaining, Int64(buffer.count)))
    guard wanted > 0 else { return 0 }
    while true {
      let count = readBytes(descriptor, buffer.baseAddress, wanted)
      if count >= 0 {
        remaining -= Int64(count)
        return count
      }
      if errno != EINTR { throw .cannotReadFile(path: path, reason: .lastSystemError) }
    }
  }
}

/// Calls `read`, whose name the reader's own method hides.
private func readBytes(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  read(descriptor, buffer, count)
}

extension String {
  /// The system's message for `errno`.
  static var lastSystemError: String { String(cString: strerror(errno)) }
}
