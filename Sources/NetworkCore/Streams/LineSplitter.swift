public import struct Foundation.Data

/// Splits a text that comes in chunks into lines.
///
/// ```swift
/// var splitter = LineSplitter()
/// try splitter.append(Data("one\r\ntw".utf8))  // ["one"]
/// try splitter.append(Data("o".utf8))          // []
/// splitter.finish()                            // ["two"]
/// ```
///
/// A character that two chunks share is read whole; bytes that are not UTF-8 become U+FFFD. What is kept is the
/// beginning of one line.
public struct LineSplitter: Sendable {
  /// What ends a line.
  public enum Ending: Sendable, Hashable {
    /// LF, CR, or CR LF.
    case any
    /// LF, or CR LF: a CR elsewhere is part of the line.
    case lineFeed
  }

  private var lines: ByteLines

  /// Makes a splitter.
  ///
  /// - Parameters:
  ///   - ending: what ends a line.
  ///   - limit: the most bytes that a line may have, without its ending.
  public init(ending: Ending = .any, limit: Int = 1 << 20) {
    lines = ByteLines(ending: ending, limit: limit)
  }

  /// Takes the next chunk.
  ///
  /// - Parameter chunk: the chunk, of any length.
  /// - Returns: the lines that are whole now, without their endings.
  /// - Throws: `StreamError.lineTooLong`, as soon as there are more bytes than allowed.
  public mutating func append(_ chunk: Data) throws(StreamError) -> [String] {
    var found: [String] = []
    try parse(chunk, into: &found)
    return found
  }

  /// The text is whole.
  ///
  /// - Returns: the last line where nothing ended it; none where it is empty.
  public mutating func finish() -> [String] {
    let rest = lines.finish()
    return rest.isEmpty ? [] : [String(decoding: rest, as: UTF8.self)]
  }
}

extension LineSplitter: ChunkParser {
  /// Adds the lines that are whole now.
  package mutating func parse(_ chunk: Data, into elements: inout [String]) throws(StreamError) {
    try lines.append(chunk) { line in elements.append(String(decoding: line, as: UTF8.self)) }
  }

  /// Adds the last line where nothing ended it.
  package mutating func finish(into elements: inout [String]) { elements += finish() }
}
