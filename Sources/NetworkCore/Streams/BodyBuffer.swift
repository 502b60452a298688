import struct Foundation.Data
import ReactiveNetworkLock

/// A buffer for the body of a response, between the transport's thread and the consumer.
///
/// When the buffer reaches the high-water mark, it pauses the transfer, which makes the sender wait. When the
/// consumer has emptied it to half of the mark, it resumes the transfer. A transfer that cannot be paused
/// continues to fill the buffer. Any threads may fill and empty it.
final class BodyBuffer: Sendable {
  /// An element of the buffer: a response, then any number of chunks, then an end, which each later call
  /// returns again.
  enum Piece: Sendable {
    case response(Response)
    case chunk(Data)
    case end(Result<Response, NetworkError>)

    var isEnd: Bool {
      if case .end = self { true } else { false }
    }
  }

  /// The number of buffered bytes at which the sender must wait.
  static let highWaterMark = 256 << 10

  private struct State {
    var response: Response?
    /// Whether the consumer has taken the response.
    var isResponseTaken = false
    var chunks = Queue<Data>()
    /// The number of bytes in `chunks`.
    var byteCount = 0
    var end: Result<Response, NetworkError>?
    /// Whether the consumer has got the end.
    var isEndTaken = false
    var isCancelled = false
    var pauseState = TransferPauseState()
    /// The callbacks of consumers that found no piece.
    var pieceWaiters: [@Sendable () -> Void] = []
    /// The callbacks of consumers that wait for the head, or for an end without a head.
    var responseWaiters: [@Sendable () -> Void] = []

    mutating func nextChunk() -> Data? {
      let chunk = chunks.popFirst()
      byteCount -= chunk?.count ?? 0
      return chunk
    }

    /// Whether a response or chunks may still come.
    var isOpen: Bool { end == nil && !isCancelled }

    /// Drops what has not been taken; returns the chunks, which the caller releases outside the lock.
    mutating func dropContent() -> Queue<Data> {
      defer { (chunks, byteCount) = (Queue(), 0) }
      isResponseTaken = true
      return chunks
    }

    /// Removes and returns the callbacks to call now.
    mutating func takeWaiters(includingResponseWaiters: Bool = false) -> [@Sendable () -> Void] {
      defer {
        pieceWaiters = []
        if includingResponseWaiters { responseWaiters = [] }
      }
      return includingResponseWaiters ? pieceWaiters + responseWaiters : pieceWaiters
    }
  }

  private let state = Lock(State())

  /// Returns the number of the next transfer, which fills the buffer from now on.
  func nextTransfer() -> Int { state.withLock { $0.pauseState.nextTransfer() } }

  /// Stores a transfer, unless its number is no longer the latest.
  func attach(_ token: any Cancellable, number: Int) {
    let spent = state.withLock { $0.end == nil ? $0.pauseState.store(token, number: number) : nil }
    withExtendedLifetime(spent) {}
    updatePause()
  }

  /// Whether a response has arrived.
  ///
  /// After that, the consumer would notice another attempt.
  var hasResponse: Bool { state.withLock { $0.response != nil } }

  /// The response, or the reason why there is none; `.cancelled` if neither is known yet.
  var responseResult: Result<Response, NetworkError> {
    state.withLock { $0.response.map { .success($0) } ?? $0.end ?? .failure(.cancelled) }
  }

  /// Stores the response, whose body follows.
  func setResponse(_ response: Response) {
    let wakeUps = state.withLock { state in
      guard state.isOpen else { return [@Sendable () -> Void]() }
      state.response = response
      return state.takeWaiters(includingResponseWaiters: true)
    }
    for wakeUp in wakeUps { wakeUp() }
  }

  /// Appends a piece of the body; drops it after the end.
  func append(_ chunk: Data) {
    let (wakeUps, isFull) = state.withLock { state in
      guard state.isOpen else { return ([@Sendable () -> Void](), false) }
      state.chunks.append(chunk)
      state.byteCount += chunk.count
      if state.byteCount >= Self.highWaterMark { state.pauseState.mustPause = true }
      return (state.takeWaiters(), state.pauseState.mustPause)
    }
    if isFull { updatePause() }
    for wakeUp in wakeUps { wakeUp() }
  }

  /// Ends the body.
  ///
  /// Only the first end counts. A cancel also drops the response and the chunks that have not been taken.
  func close(_ end: Result<Response, NetworkError>) {
    let (wakeUps, spent) = state.withLock { state in
      var dropped = Queue<Data>()
      guard state.end == nil else { return ([@Sendable () -> Void](), (nil as (any Transfer)?, dropped)) }
      state.end = state.isCancelled ? .failure(.cancelled) : end
      if case .failure(let error) = end, error.isCancelled { dropped = state.dropContent() }
      return (state.takeWaiters(includingResponseWaiters: true), (state.pauseState.release(), dropped))
    }
    withExtendedLifetime(spent) {}
    for wakeUp in wakeUps { wakeUp() }
  }

  /// Drops what has not been taken, and ends with a cancel, unless the end has been taken.
  ///
  /// The request may have ended before; if it has not, its end follows.
  func cancel() {
    let (dropped, end) = state.withLock { state in
      guard !state.isEndTaken else { return (Queue<Data>(), nil as Result<Response, NetworkError>?) }
      defer { if state.end != nil { state.end = .failure(.cancelled) } }
      state.isCancelled = true
      return (state.dropContent(), state.end)
    }
    withExtendedLifetime((dropped, end)) {}
  }

  /// Removes and returns the next piece; `nil` if there is none.
  ///
  /// After `nil`, it calls `wakeUp` once when there may be a piece.
  func next(orWhenReady wakeUp: @escaping @Sendable () -> Void) -> Piece? {
    let (piece, mustResume) = state.withLock { state in
      if !state.isResponseTaken, let response = state.response {
        state.isResponseTaken = true
        return (Piece.response(response), false) as (Piece?, Bool)
      }
      if let chunk = state.nextChunk() {
        let mustResume = state.pauseState.mustPause && state.byteCount <= Self.highWaterMark / 2
        if mustResume { state.pauseState.mustPause = false }
        return (.chunk(chunk), mustResume)
      }
      if let end = state.end {
        state.isEndTaken = true
        return (.end(end), false)
      }
      state.pieceWaiters.append(wakeUp)
      return (nil, false)
    }
    if mustResume { updatePause() }
    return piece
  }

  /// Calls `wakeUp` once, when the response or the end arrives; immediately if one of them has arrived.
  func whenResponseArrives(_ wakeUp: @escaping @Sendable () -> Void) {
    let isDecided = state.withLock { state in
      let isDecided = state.response != nil || state.end != nil
      if !isDecided { state.responseWaiters.append(wakeUp) }
      return isDecided
    }
    if isDecided { wakeUp() }
  }

  private func updatePause() {
    var action = state.withLock { $0.pauseState.begin() }
    while let next = action {
      next()
      action = state.withLock { $0.pauseState.done() }
    }
  }
}
