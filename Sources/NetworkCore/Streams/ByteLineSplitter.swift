import Foundation

/// Splits bytes into lines, for `LineSplitter` and other parsers.
struct ByteLineSplitter {
  private let ending: LineSplitter.Ending
  private let limit: Int
  /// The bytes of an incomplete line.
  private var rest: [UInt8] = []
  /// Whether the last line ended with a CR, so that a following LF belongs to its ending.
  private var isAfterReturn = false

  init(ending: LineSplitter.Ending, limit: Int) {
    self.ending = ending
    self.limit = limit
  }

  /// Calls `body` with each line that is now complete.
  mutating func append(
    _ chunk: Data, _ body: (UnsafeRawBufferPointer) throws(StreamError) -> Void
  ) throws(StreamError) {
    try withBytes(of: chunk) { bytes throws(StreamError) in
      var start = 0
      for index in bytes.indices {
        switch bytes[index] {
        case 0x0A where isAfterReturn:
          isAfterReturn = false
          start = index + 1
        case 0x0A:
          try end(UnsafeRawBufferPointer(rebasing: bytes[start..<index]), body)
          start = index + 1
        case 0x0D where ending == .any:
          try end(UnsafeRawBufferPointer(rebasing: bytes[start..<index]), body)
          isAfterReturn = true
          start = index + 1
        default:
          isAfterReturn = false
        }
      }
      try store(UnsafeRawBufferPointer(rebasing: bytes[start...]))
    }
  }

  /// Removes and returns the bytes of the last line, if it has no ending.
  mutating func finish() -> [UInt8] {
    defer { (rest, isAfterReturn) = ([], false) }
    return rest
  }

  /// Throws if the last line is too long because of a CR that no LF has followed.
  func checkLastLine() throws(StreamError) {
    guard rest.count <= limit else { throw .lineTooLong(limit: limit) }
  }

  private mutating func end(
    _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StreamError) -> Void
  ) throws(StreamError) {
    guard !rest.isEmpty else { return try emit(bytes, body) }
    rest.append(contentsOf: bytes)
    let line = rest
    rest.removeAll(keepingCapacity: line.count <= 4096)
    try withBytes(of: line) { bytes throws(StreamError) in try emit(bytes, body) }
  }

  private func emit(
    _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StreamError) -> Void
  ) throws(StreamError) {
    let hasReturn = ending == .lineFeed && bytes.last == 0x0D
    let line = UnsafeRawBufferPointer(rebasing: bytes.dropLast(hasReturn ? 1 : 0))
    guard line.count <= limit else { throw .lineTooLong(limit: limit) }
    try body(line)
  }

  private mutating func store(_ bytes: UnsafeRawBufferPointer) throws(StreamError) {
    guard let last = bytes.last else { return }
    // A CR at the end may belong to the ending, which does not count.
    let mayEnd = ending == .lineFeed && last == 0x0D
    guard bytes.count - (mayEnd ? 1 : 0) <= limit - rest.count else { throw .lineTooLong(limit: limit) }
    rest.append(contentsOf: bytes)
  }
}

/// Calls `withUnsafeBytes`, with a typed error.
func withBytes<Failure: Error>(
  of content: some ContiguousBytes, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
) throws(Failure) {
  let failure: Failure? = content.withUnsafeBytes { bytes in
    do throws(Failure) {
      try body(bytes)
      return nil
    } catch {
      return error
    }
  }
  if let failure { throw failure }
}
