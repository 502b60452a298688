import Foundation

/// Lines as bytes; see `LineSplitter`.
struct ByteLines {
  private let ending: LineSplitter.Ending
  private let limit: Int
  /// The beginning of a line.
  private var rest: [UInt8] = []
  /// Whether an LF belongs to the CR that ended the last line.
  private var isBehindReturn = false

  init(ending: LineSplitter.Ending, limit: Int) {
    self.ending = ending
    self.limit = limit
  }

  /// Calls `body` with each line that is whole now.
  mutating func append(
    _ chunk: Data, _ body: (UnsafeRawBufferPointer) throws(StreamError) -> Void
  ) throws(StreamError) {
    try withBytes(of: chunk) { bytes throws(StreamError) in
      var start = 0
      for index in bytes.indices {
        switch bytes[index] {
        case 0x0A where isBehindReturn:
          isBehindReturn = false
          start = index + 1
        case 0x0A:
          try end(UnsafeRawBufferPointer(rebasing: bytes[start..<index]), body)
          start = index + 1
        case 0x0D where ending == .any:
          try end(UnsafeRawBufferPointer(rebasing: bytes[start..<index]), body)
          isBehindReturn = true
          start = index + 1
        default:
          isBehindReturn = false
        }
      }
      try keep(UnsafeRawBufferPointer(rebasing: bytes[start...]))
    }
  }

  /// What there is of a line that nothing ended.
  mutating func finish() -> [UInt8] {
    defer { rest = [] }
    return rest
  }

  private mutating func end(
    _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StreamError) -> Void
  ) throws(StreamError) {
    guard !rest.isEmpty else { return try give(bytes, body) }
    rest.append(contentsOf: bytes)
    let line = rest
    rest.removeAll(keepingCapacity: line.count <= 4096)
    try withBytes(of: line) { bytes throws(StreamError) in try give(bytes, body) }
  }

  private func give(
    _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StreamError) -> Void
  ) throws(StreamError) {
    let hasReturn = ending == .lineFeed && bytes.last == 0x0D
    let line = UnsafeRawBufferPointer(rebasing: bytes.dropLast(hasReturn ? 1 : 0))
    guard line.count <= limit else { throw .lineTooLong(limit: limit) }
    try body(line)
  }

  private mutating func keep(_ bytes: UnsafeRawBufferPointer) throws(StreamError) {
    // One more: it may be the CR of an ending.
    guard bytes.count - 1 <= limit - rest.count else { throw .lineTooLong(limit: limit) }
    rest.append(contentsOf: bytes)
  }
}

/// `withUnsafeBytes` with a typed error.
private func withBytes(
  of content: some ContiguousBytes, _ body: (UnsafeRawBufferPointer) throws(StreamError) -> Void
) throws(StreamError) {
  let failure: StreamError? = content.withUnsafeBytes { bytes in
    do throws(StreamError) {
      try body(bytes)
      return nil
    } catch {
      return error
    }
  }
  if let failure { throw failure }
}
