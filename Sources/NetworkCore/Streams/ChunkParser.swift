package import struct Foundation.Data

/// Makes elements of a body that comes in chunks, wherever these part it.
package protocol ChunkParser: Sendable {
  /// What the body is made of.
  associatedtype Element: Sendable

  /// Takes the next chunk.
  ///
  /// - Parameters:
  ///   - chunk: the chunk.
  ///   - elements: what is complete now is added here, also before what cannot be read.
  /// - Throws: `StreamError` for a body that cannot be read; nothing may be parsed after that.
  mutating func parse(_ chunk: Data, into elements: inout [Element]) throws(StreamError)

  /// The body is whole.
  ///
  /// - Parameter elements: what is complete now is added here.
  /// - Throws: `StreamError` for a body that cannot end like this.
  mutating func finish(into elements: inout [Element]) throws(StreamError)
}
