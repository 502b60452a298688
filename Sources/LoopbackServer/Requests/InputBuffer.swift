#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The received bytes that have not been read yet.
struct InputBuffer {
  private var bytes: [UInt8] = []
  private var start = 0
  /// The index up to which there is no line feed, so that a line that arrives byte by byte is searched only
  /// once.
  private var searched = 0

  var count: Int { bytes.count - start }

  mutating func append(_ new: UnsafeRawBufferPointer) {
    if start == bytes.count {
      bytes.removeAll(keepingCapacity: true)
      (start, searched) = (0, 0)
    } else if start > 65_536 {
      bytes.removeSubrange(..<start)
      (start, searched) = (0, searched - start)
    }
    bytes.append(contentsOf: new)
  }

  /// Takes the next line, without its LF or CR LF; returns `nil` if it has not ended yet.
  mutating func line() -> ArraySlice<UInt8>? {
    let from = max(start, searched)
    let found = bytes.withUnsafeBytes { all -> Int? in
      guard let base = all.baseAddress, from < all.count else { return nil }
      return memchr(base + from, 0x0A, all.count - from).map { UnsafeRawPointer($0) - base }
    }
    guard let end = found else {
      searched = bytes.count
      return nil
    }
    var line = bytes[start..<end]
    if line.last == 0x0D { line.removeLast() }
    start = end + 1
    searched = start
    return line
  }

  /// Takes all bytes.
  mutating func takeAll() -> [UInt8] {
    defer { (bytes, start, searched) = ([], 0, 0) }
    return Array(bytes[start...])
  }

  /// Takes at most `limit` bytes and returns the number taken.
  mutating func take(upTo limit: Int, _ body: (ArraySlice<UInt8>) -> Void) -> Int {
    let taken = min(limit, count)
    if taken > 0 { body(bytes[start..<(start + taken)]) }
    start += taken
    searched = max(searched, start)
    return taken
  }
}
