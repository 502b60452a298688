public import struct Foundation.Data

/// Splits text that arrives in chunks into lines.
///
/// ```swift
/// var splitter = LineSplitter()
/// try splitter.append(Data("one\r\ntw".utf8))  // ["one"]
/// try splitter.append(Data("o".utf8))          // []
/// splitter.finish()                            // ["two"]
/// ```
///
/// A character that is split between two chunks is read correctly. Bytes that are not UTF-8 become U+FFFD.
/// The splitter buffers at most one incomplete line.
public struct LineSplitter: Sendable {
  /// The line endings that a splitter recognizes.
  public enum Ending: Sendable, Hashable {
    /// LF, CR, or CR LF.
    case any
    /// LF or CR LF; any other CR is part of the line.
    case lineFeed
  }

  private var lines: ByteLineSplitter
  /// The complete lines of the chunk in which a line was too long; `nil` if there was no such chunk.
  private var linesBeforeError: [String]?

  /// Creates a splitter.
  ///
  /// - Parameters:
  ///   - ending: the line endings to recognize.
  ///   - limit: the maximum number of bytes in a line, without its ending.
  public init(ending: Ending = .any, limit: Int = 1 << 20) {
    lines = ByteLineSplitter(ending: ending, limit: limit)
  }

  /// Splits the next chunk.
  ///
  /// - Parameter chunk: the chunk, of any length.
  /// - Returns: the lines that are now complete, without their endings.
  /// - Throws: `StreamError.lineTooLong`, as soon as the limit is exceeded; `finish()` then returns the complete
  ///   lines of this chunk. Do not append any more after an error.
  public mutating func append(_ chunk: Data) throws(StreamError) -> [String] {
    var found: [String] = []
    do throws(StreamError) {
      try parse(chunk, into: &found)
    } catch {
      linesBeforeError = found
      throw error
    }
    return found
  }

  /// Ends the text; `append(_:)` then begins another one.
  ///
  /// With `Ending.lineFeed`, a CR at the end of the text is part of the last line, but does not count for its
  /// limit.
  ///
  /// - Returns: the last line if it has no ending; an empty array if there is no such line. After an error, the
  ///   complete lines before it that have not been returned.
  public mutating func finish() -> [String] {
    let rest = lines.finish()
    if let found = linesBeforeError.take() { return found }
    return rest.isEmpty ? [] : [String(decoding: rest, as: UTF8.self)]
  }
}

extension LineSplitter: ChunkParser {
  /// Adds the lines that are now complete.
  package mutating func parse(_ chunk: Data, into elements: inout [String]) throws(StreamError) {
    try lines.append(chunk) { line in elements.append(String(decoding: line, as: UTF8.self)) }
  }

  /// Adds the last line if it has no ending.
  package mutating func finish(into elements: inout [String]) throws(StreamError) {
    try lines.checkLastLine()
    elements += finish()
  }
}
