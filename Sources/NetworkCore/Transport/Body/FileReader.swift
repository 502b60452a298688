internal import Foundation

/// Reads a file from its beginning to where its end was when it was opened.
final class FileReader: BodyReader {
  /// The bytes that the file had when it was opened.
  let length: Int64
  private let path: String
  private let descriptor: Int32
  private var remaining: Int64

  /// Opens a file.
  ///
  /// - Throws: `TransferError.cannotReadFile` for what is not there, may not be read or is not a file.
  init(_ url: URL) throws(TransferError) {
    guard url.isFileURL else {
      throw .cannotReadFile(path: url.absoluteString, reason: "it is not a file URL")
    }
    path = url.path
    // NONBLOCK: opening a pipe must not wait for somebody to write to it.
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .cannotReadFile(path: path, reason: .lastSystemError) }
    var facts = stat()
    let known = fstat(descriptor, &facts) == 0
    guard known, facts.st_mode & S_IFMT == S_IFREG else {
      let reason = known ? "it is not a regular file" : String.lastSystemError
      close(descriptor)
      throw .cannotReadFile(path: path, reason: reason)
    }
    length = Int64(facts.st_size)
    remaining = length
  }

  deinit {
    close(descriptor)
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int? {
    let wanted = Int(clamping: min(remaining, Int64(buffer.count)))
    guard wanted > 0 else { return 0 }
    while true {
      let count = readBytes(descriptor, buffer.baseAddress, wanted)
      if count >= 0 {
        remaining -= Int64(count)
        return count
      }
      if errno != EINTR { throw TransferError.cannotReadFile(path: path, reason: .lastSystemError) }
    }
  }
}

/// A name that the reader's own method does not hide.
private func readBytes(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  read(descriptor, buffer, count)
}

extension String {
  /// The system's words for `errno`.
  static var lastSystemError: String { String(cString: strerror(errno)) }
}
