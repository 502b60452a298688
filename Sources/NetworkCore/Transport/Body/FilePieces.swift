internal import Foundation

/// The pieces of a file, which is opened for the first one.
final class FilePieces: PieceSource {
  private static let size = 128 << 10

  private let url: URL
  private let length: Int64?
  private var file: FileReader?

  /// Makes the pieces of a file, which must have a length in bytes; `nil` for any.
  init(_ url: URL, length: Int64?) {
    self.url = url
    self.length = length
  }

  func next() throws(TransferError) -> ReadAhead.Piece {
    let file = try opened()
    var failure: TransferError?
    let piece = [UInt8](unsafeUninitializedCapacity: Self.size) { buffer, count in
      do throws(TransferError) {
        count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return .bytes(piece, isLast: file.isAtEnd)
  }

  func close() { file = nil }

  private func opened() throws(TransferError) -> FileReader {
    if let file { return file }
    let opened = try FileReader(url)
    if let length, opened.length != length {
      throw .wrongBodyLength(announced: length, actual: opened.length)
    }
    file = opened
    return opened
  }
}
