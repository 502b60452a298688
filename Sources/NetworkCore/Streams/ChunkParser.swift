package import struct Foundation.Data

/// Makes elements of a body that comes in chunks, wherever these part it.
package protocol ChunkParser: Sendable {
  /// What the body is made of.
  associatedtype Element: Sendable

  /// Takes the next chunk.
  ///
  /// - Parameter chunk: the chunk.
  /// - Returns: what is complete now.
  /// - Throws: `StreamError` for a body that cannot be read; nothing may be appended after that.
  mutating func append(_ chunk: Data) throws -> [Element]

  /// The body is whole.
  ///
  /// - Returns: what is complete now.
  /// - Throws: `StreamError` for a body that cannot end like this.
  mutating func finish() throws -> [Element]
}
