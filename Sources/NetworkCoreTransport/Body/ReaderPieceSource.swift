internal import Foundation

/// The pieces of a reader that may block, which is opened for the first piece.
final class ReaderPieceSource: BodyPieceSource {
  typealias Opening = (_ onBytesAvailable: @escaping @Sendable () -> Void) throws -> any BodyReader

  private let opening: Opening
  private var reader: (any BodyReader)?

  init(_ opening: @escaping Opening) {
    self.opening = opening
  }

  var pieceSize: Int { 65_536 }

  func next(
    into buffer: UnsafeMutableRawBufferPointer, onBytesAvailable: @escaping @Sendable () -> Void
  ) throws(TransferError) -> (count: Int, isLast: Bool)? {
    do {
      if reader == nil { reader = try opening(onBytesAvailable) }
    } catch {
      throw TransferError(ofBodyReader: error)
    }
    return try reader?.readChecked(into: buffer).map { (count: $0, isLast: $0 == 0) }
  }

  func close() { reader = nil }
}

extension BodyReader {
  /// Fills a buffer as `read(into:)` does, and checks the result.
  func readChecked(into buffer: UnsafeMutableRawBufferPointer) throws(TransferError) -> Int? {
    let count: Int?
    do {
      count = try read(into: buffer)
    } catch {
      throw TransferError(ofBodyReader: error)
    }
    if let count, !(0...buffer.count).contains(count) {
      throw .cannotReadBody(reason: "its reader reported \(count) bytes in a buffer of \(buffer.count)")
    }
    return count
  }
}

extension TransferError {
  /// Creates the error of a transfer whose body could not be opened or read.
  init(ofBodyReader error: any Error) {
    let reason = (error as? any LocalizedError)?.errorDescription ?? "\(error)"
    self = error as? TransferError ?? .cannotReadBody(reason: reason)
  }
}
