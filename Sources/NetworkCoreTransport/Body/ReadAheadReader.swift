internal import ReactiveNetworkLock

/// The pieces of a body; reading a piece may block.
protocol BodyPieceSource: AnyObject {
  /// The maximum number of bytes in a piece.
  var pieceSize: Int { get }
  /// Reads the next piece.
  ///
  /// - Parameters:
  ///   - buffer: a buffer of `pieceSize` bytes.
  ///   - onBytesAvailable: called on any thread when there are bytes after this function has returned `nil`.
  ///     It is the same closure for each piece.
  /// - Returns: the number of bytes, which is 0 only at the end, and whether they are the last; `nil` if none
  ///   are available yet.
  /// - Throws: the reason why the body cannot be read.
  func next(
    into buffer: UnsafeMutableRawBufferPointer, onBytesAvailable: @escaping @Sendable () -> Void
  ) throws(TransferError) -> (count: Int, isLast: Bool)?
  /// Releases the underlying file or reader, which may block as well.
  func close()
}

/// Reads a body on other threads, one piece ahead, so that a stalled source delays only this body.
///
/// Two buffers alternate. A new buffer for each piece would be allocated on one thread and freed on another,
/// and the C library would keep its memory in an arena for each allocating thread.
///
/// `@unchecked Sendable`: calls of the source never overlap, and the lock guards everything else.
final class ReadAheadReader: BodyReader, @unchecked Sendable {
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
    /// Whether the source is being read, or will be.
    var isReading = false
    /// Whether the source has returned `nil` and has not reported bytes since.
    var awaitsSource = false
    /// Whether the source has reported bytes since its last read began.
    var hasReport = false
    /// Whether the last call of `read(into:)` returned `nil`.
    var isAwaited = false
    var isAtEnd = false
    /// The number of the last enqueued read.
    var number: Int?
    var failure: TransferError?
  }

  private let source: any BodyPieceSource
  private let work: BlockingWorkPool
  private let onBytesAvailable: @Sendable () -> Void
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
    var buffer = state.withLock { state in
      state.hasReport = false
      return exchange(&state.spare, with: [])
    }
    if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: source.pieceSize) }
    let result = buffer.withUnsafeMutableBytes { bytes in
      Result { () throws(TransferError) in
        try source.next(into: bytes) { [weak self] in self?.noteReport() }
      }
    }
    let (mustNotify, mustRead) = state.withLock { [buffer] state in
      if case .success(.none) = result {
        state.spare = buffer
        state.awaitsSource = !state.hasReport
        return (false, state.hasReport)
      }
      switch result {
      case .success(let piece):
        let count = piece?.count ?? 0
        if count > 0 { state.next = Content(buffer: buffer, unread: 0..<count) }
        state.isAtEnd = count == 0 || piece?.isLast == true
      case .failure(let error): state.failure = error
      }
      state.isReading = false
      defer { state.isAwaited = false }
      return (state.isAwaited, false)
    }
    if mustNotify { onBytesAvailable() }
    if mustRead { readLater() }
  }

  /// Notes that the source reports bytes, perhaps before its read returns.
  private func noteReport() {
    let mustRead = state.withLock { state in
      state.hasReport = true
      return exchange(&state.awaitsSource, with: false)
    }
    if mustRead { readLater() }
  }
}
