internal import Foundation
internal import Locking

/// Reads a file on a queue of its own, one piece ahead, so that a stalled file system delays this body alone.
///
/// `@unchecked Sendable`: the file is touched on the queue alone, the rest is behind the lock.
final class FileBodyReader: BodyReader, @unchecked Sendable {
  private struct State {
    /// The current piece; its bytes from `start` on are still to be read.
    var piece: [UInt8] = []
    var start = 0
    var next: [UInt8]?
    var isReading = false
    /// Whether the last call of `read(into:)` returned `nil`.
    var isAwaited = false
    var isAtEnd = false
    var failure: TransferError?
  }

  private static let pieceSize = 128 << 10

  private let url: URL
  private let length: Int64?
  private let more: @Sendable () -> Void
  private let queue = DispatchQueue(label: "FileBodyReader")
  private let state = Lock(State())
  private var file: FileReader?

  /// Creates a reader; the file is opened by the first read.
  ///
  /// - Parameters:
  ///   - url: the file.
  ///   - length: the required length in bytes; `nil` for any.
  ///   - more: called on any thread when bytes are available after `read(into:)` returned `nil`.
  init(_ url: URL, length: Int64?, more: @escaping @Sendable () -> Void) {
    self.url = url
    self.length = length
    self.more = more
  }

  deinit {
    // Closing a file may take as long as reading it. Unsafe only for the compiler: nothing else refers to it any more.
    guard let file else { return }
    nonisolated(unsafe) let last = file
    queue.async { withExtendedLifetime(last) {} }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int? {
    let (count, mustRead, failure) = state.withLock { state -> (Int?, Bool, TransferError?) in
      if state.start == state.piece.count, let next = state.next.take() {
        (state.piece, state.start) = (next, 0)
      }
      let left = state.piece.count - state.start
      let isOver = state.isAtEnd || state.failure != nil
      let mustRead = state.next == nil && !state.isReading && !isOver
      if mustRead { state.isReading = true }
      if left > 0 {
        let count = min(left, buffer.count)
        buffer.copyBytes(from: state.piece[state.start..<(state.start + count)])
        state.start += count
        return (count, mustRead, nil)
      }
      if isOver { return (0, false, state.failure) }
      state.isAwaited = true
      return (nil, mustRead, nil)
    }
    if let failure { throw failure }
    if mustRead { queue.async { [weak self] in self?.readPiece() } }
    return count
  }

  private func readPiece() {
    var failure: TransferError?
    var (piece, isLast): ([UInt8], Bool) = ([], false)
    do throws(TransferError) {
      piece = try nextPiece()
      isLast = piece.isEmpty || file?.isAtEnd != false
    } catch {
      failure = error
    }
    let isAwaited = state.withLock { state in
      if !piece.isEmpty { state.next = piece }
      state.isAtEnd = isLast
      state.failure = failure
      state.isReading = false
      defer { state.isAwaited = false }
      return state.isAwaited
    }
    if isAwaited { more() }
  }

  private func nextPiece() throws(TransferError) -> [UInt8] {
    let file = try opened()
    var failure: TransferError?
    let piece = [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { buffer, count in
      do throws(TransferError) {
        count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return piece
  }

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
