internal import CNetworkCoreCurl
package import struct Foundation.Data

/// Compresses or decompresses raw DEFLATE data (RFC 1951) in which later data may refer to earlier data.
///
/// Sendable because its owner uses it on one thread at a time.
package final class DeflateStream: @unchecked Sendable {
  /// The bytes with which data that ends at a byte boundary ends, except that the sender of a WebSocket's
  /// message leaves them out.
  package static let end = Data([0, 0, 0xFF, 0xFF])

  private let stream: OpaquePointer
  private static let pieceSize = 16 << 10

  /// Whether zlib can be opened.
  package static var isAvailable: Bool { ccurl_can_deflate() }

  /// Creates a stream; `nil` without zlib or memory, or if zlib does not support the window.
  package init?(compressing: Bool, windowBits: Int) {
    guard let stream = ccurl_deflate_stream_make(compressing, CInt(windowBits)) else { return nil }
    self.stream = stream
  }

  deinit { ccurl_deflate_stream_free(stream) }

  /// Processes all of the input, and passes on the output in pieces of at most 16 KiB.
  ///
  /// - Returns: `false` if the input is not valid.
  package func process<Failure: Error>(
    _ input: UnsafeRawBufferPointer, output: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) -> Bool {
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 1)
    defer { piece.deallocate() }
    let target = piece.bindMemory(to: UInt8.self).baseAddress
    var next = input.bindMemory(to: UInt8.self).baseAddress
    var (left, produced) = (input.count, 0)
    repeat {
      guard ccurl_deflate_stream_process(stream, &next, &left, target, piece.count, &produced) else {
        return false
      }
      if produced > 0 { try output(UnsafeRawBufferPointer(rebasing: piece[..<produced])) }
    } while left > 0 || produced == piece.count
    return true
  }

  /// Whether the decompressed data ends where a block ends.
  package var isAtBoundary: Bool { ccurl_deflate_stream_is_at_boundary(stream) }

  package func reset() { ccurl_deflate_stream_reset(stream) }
}
