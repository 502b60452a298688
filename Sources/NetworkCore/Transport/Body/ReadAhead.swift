internal import Dispatch
internal import Locking

/// The pieces of a body, whose reading may take long.
protocol PieceSource: AnyObject {
  /// Reads the next piece.
  func next() throws(TransferError) -> ReadAhead.Piece
  /// Releases what it reads from, which may take long as well.
  func close()
}

/// Reads a body on a queue of its own, one piece ahead, so that a stalled source delays this body alone.
///
/// `@unchecked Sendable`: the source is touched on the queue alone, the rest is behind the lock.
final class ReadAhead: BodyReader, @unchecked Sendable {
  enum Piece {
    /// Bytes, and whether they are the last; there are none only at the end.
    case bytes([UInt8], isLast: Bool)
    /// There are none yet: the source is asked again later.
    case none(retryAfter: DispatchTimeInterval)
  }

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

  private let source: any PieceSource
  private let more: @Sendable () -> Void
  private let queue = DispatchQueue(label: "NetworkCore.body")
  private let state = Lock(State())

  /// Creates a reader; the source is asked by the first read.
  ///
  /// - Parameters:
  ///   - source: the source; no other reader may use it.
  ///   - more: called on any thread when bytes are available after `read(into:)` returned `nil`.
  init(_ source: any PieceSource, more: @escaping @Sendable () -> Void) {
    self.source = source
    self.more = more
  }

  deinit {
    // Behind whatever read is still waiting. Unsafe only for the compiler: nothing else refers to it any more.
    nonisolated(unsafe) let source = source
    queue.async { source.close() }
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
      switch try source.next() {
      case .bytes(let bytes, let isEnd): (piece, isLast) = (bytes, isEnd || bytes.isEmpty)
      case .none(let pause):
        return queue.asyncAfter(deadline: .now() + pause) { [weak self] in self?.readPiece() }
      }
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
}
