internal import Foundation

/// The pieces of a file, which is opened for the first piece.
final class FilePieceSource: BodyPieceSource {
  private static let size = 128 << 10

  private let url: URL
  private let length: Int64?
  private var file: FileReader?

  /// Creates the pieces of a file, of which the first `length` bytes are read; `nil` for all bytes.
  init(_ url: URL, length: Int64?) {
    self.url = url
    self.length = length
  }

  /// No more than the length of the file, so that a small file takes little memory.
  var pieceSize: Int { Int(clamping: min(Int64(Self.size), max(1, length ?? .max))) }

  func next(
    into buffer: UnsafeMutableRawBufferPointer, onBytesAvailable: @escaping @Sendable () -> Void
  ) throws(TransferError) -> (count: Int, isLast: Bool)? {
    let file = try opened()
    let count = try file.read(into: buffer)
    return (count, file.isAtEnd)
  }

  func close() { file = nil }

  private func opened() throws(TransferError) -> FileReader {
    if let file { return file }
    // What is appended meanwhile is not sent.
    let opened = try FileReader(url, upTo: length ?? .max)
    if let length, opened.length < length {
      throw .wrongBodyLength(announced: length, actual: opened.length)
    }
    file = opened
    return opened
  }
}
