package import struct Foundation.Data

/// Parses elements from a body that arrives in chunks; an element may be split between chunks.
package protocol ChunkParser: Sendable {
  /// An element of the body.
  associatedtype Element: Sendable

  /// Parses the next chunk.
  ///
  /// - Parameters:
  ///   - chunk: the chunk.
  ///   - elements: receives the elements that are now complete, including those before an error.
  /// - Throws: `StreamError` if the body cannot be parsed. Do not call the parser after an error.
  mutating func parse(_ chunk: Data, into elements: inout [Element]) throws(StreamError)

  /// Ends the body.
  ///
  /// - Parameter elements: receives the elements that are now complete.
  /// - Throws: `StreamError` if the body cannot end here.
  mutating func finish(into elements: inout [Element]) throws(StreamError)
}
