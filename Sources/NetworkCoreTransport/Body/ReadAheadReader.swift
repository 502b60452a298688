internal import Dispatch
internal import ReactiveNetworkLock

/// The pieces of a body; reading a piece may block.
protocol BodyPieceSource: AnyObject {
  /// The maximum number of bytes in a piece.
  var pieceSize: Int { get }
  /// Reads the next piece into a buffer of `pieceSize` bytes.
  func next(into buffer: UnsafeMutableRawBufferPointer) throws(TransferError) -> ReadAheadReader.Piece
  /// Releases the underlying file or stream, which may block as well.
  func close()
}

/// Reads a body on other threads, one piece ahead, so that a stalled source delays only this body.
///
/// Two buffers alternate. A new buffer for each piece would be allocated on one thread and freed on another,
/// and the C library would keep its memory in an arena for each allocating thread.
///
/// `@unchecked Sendable`: calls of the source never overlap, and the lock guards everything else.
final class ReadAheadReader: BodyReader, @unchecked Sendable {
  enum Piece {
    /// The number of bytes, which is 0 only at the end, and whether they are the last.
    case bytes(Int, isLast: Bool)
    /// No bytes are available yet; the source is read again later.
    case none(retryAfter: DispatchTimeInterval)
  }

  /// A buffer and its unread part.
  private struct Content {
    var buffer: [UInt8] = []
    var unread = 0..<0
  }

  private struct State {
    var current = Content()
    var next: Content?
    /// The buffer for the next piece; empty until it is needed.
    var spare: [UInt8] = []
    var isReading = false
    /// Whether the last call of `read(into:)` returned `nil`.
    var isAwaited = false
    var isAtEnd = false
    /// The number of the last enqueued read.
    var number: UInt64?
    var failure: TransferError?
  }

  private let source: any BodyPieceSource
  private let work: BlockingWorkPool
  private let onBytesAvailable: @Sendable () -> Void
  /// Measures the pauses of sources that have no bytes available.
  private static let pauses = DispatchQueue(label: "NetworkCore.body.pauses")
  private let state = Lock(State())

  /// Creates a reader; the source is not used before the first read.
  ///
  /// - Parameters:
  ///   - source: the source; no other reader may use it.
  ///   - work: the pool on which it is read.
  ///   - onBytesAvailable: called on any thread when bytes are available after `read(into:)` returned `nil`.
  init(
    _ source: any BodyPieceSource, on work: BlockingWorkPool, onBytesAvailable: @escaping @Sendable () -> Void
  ) {
    self.source = source
    self.work = work
    self.onBytesAvailable = onBytesAvailable
  }

  deinit {
    if let number = state.withLock({ $0.number }) { work.remove(number) }
    // A read in progress keeps this object alive, so none is running now. Nothing else refers to the source,
    // which the compiler cannot see.
    nonisolated(unsafe) let source = source
    work.enqueue { source.close() }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int? {
    let (count, mustRead, failure) = state.withLock { state -> (Int?, Bool, TransferError?) in
      if state.current.unread.isEmpty, let next = state.next.take() {
        (state.spare, state.current) = (state.current.buffer, next)
      }
      let unread = state.current.unread
      let isOver = state.isAtEnd || state.failure != nil
      let mustRead = state.next == nil && !state.isReading && !isOver
      if mustRead { state.isReading = true }
      if !unread.isEmpty {
        let taken = unread.prefix(buffer.count)
        buffer.copyBytes(from: state.current.buffer[taken])
        state.current.unread = taken.upperBound..<unread.upperBound
        return (taken.count, mustRead, nil)
      }
      if isOver { return (0, false, state.failure) }
      state.isAwaited = true
      return (nil, mustRead, nil)
    }
    if let failure { throw failure }
    if mustRead { readLater() }
    return count
  }

  private func readLater() {
    let number = work.enqueue { [weak self] in self?.readPiece() }
    state.withLock { $0.number = number }
  }

  private func readPiece() {
    var failure: TransferError?
    var (count, isLast) = (0, false)
    var pause: DispatchTimeInterval?
    var buffer = state.withLock { state in
      defer { state.spare = [] }
      return state.spare
    }
    if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: source.pieceSize) }
    do throws(TransferError) {
      let piece = buffer.withUnsafeMutableBytes { bytes in
        Result { () throws(TransferError) in try source.next(into: bytes) }
      }
      switch try piece.get() {
      case .bytes(let found, let isEnd): (count, isLast) = (found, isEnd || found == 0)
      case .none(let wait): pause = wait
      }
    } catch {
      failure = error
    }
    if let pause {
      state.withLock { [buffer] in $0.spare = buffer }
      return Self.pauses.asyncAfter(deadline: .now() + pause) { [weak self] in self?.readLater() }
    }
    let isAwaited = state.withLock { [buffer] state in
      if count > 0 { state.next = Content(buffer: buffer, unread: 0..<count) }
      state.isAtEnd = isLast
      state.failure = failure
      state.isReading = false
      defer { state.isAwaited = false }
      return state.isAwaited
    }
    if isAwaited { onBytesAvailable() }
  }
}
