public import Foundation
internal import Locking

extension BodyStream {
  /// Makes a body of Foundation's stream, which is opened, read once on a background queue and closed.
  ///
  /// Nobody else may use the stream from now on. A `read` that waits for bytes holds up this body alone, and so does a
  /// stream that has none at the moment. One that goes on for a second to answer 0 while it says that it is open and
  /// has nothing available counts as at its end, unless a length that has not been reached was announced.
  ///
  /// - Parameters:
  ///   - stream: the stream, not yet read from.
  ///   - length: the bytes there are in all; `nil` where that is not known.
  public convenience init(_ stream: InputStream, length: Int64? = nil) {
    // The body has the stream to itself, and opens it once.
    nonisolated(unsafe) let stream = stream
    self.init(length: length, isRepeatable: false) { more in
      InputStreamReader(stream, awaitsLength: length != nil, more: more)
    }
  }
}

/// Reads a Foundation stream on a queue of its own, a piece ahead.
///
/// `@unchecked Sendable`: the stream is touched on the queue alone, the rest is behind the lock.
private final class InputStreamReader: BodyReader, @unchecked Sendable {
  private struct State {
    var piece: [UInt8] = []
    var start = 0
    var isReading = false
    var isAtEnd = false
    var isClosed = false
    var failure: TransferError?
  }

  private static let pieceSize = 65_536
  private static let pause = DispatchTimeInterval.milliseconds(10)
  /// How many pauses in a row a stream of unknown length may make before it counts as at its end.
  private static let patience = 100

  private let stream: InputStream
  private let awaitsLength: Bool
  private let more: @Sendable () -> Void
  private let queue = DispatchQueue(label: "BodyStream")
  private let state = Lock(State())

  init(_ stream: InputStream, awaitsLength: Bool, more: @escaping @Sendable () -> Void) {
    self.stream = stream
    self.awaitsLength = awaitsLength
    self.more = more
  }

  deinit {
    // Behind whatever read is still waiting; nobody else has the stream any more.
    nonisolated(unsafe) let stream = stream
    queue.async { stream.close() }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int? {
    let (count, mustRead, failure) = state.withLock { state -> (Int?, Bool, TransferError?) in
      let left = state.piece.count - state.start
      if left > 0 {
        let count = min(left, buffer.count)
        buffer.copyBytes(from: state.piece[state.start..<(state.start + count)])
        state.start += count
        return (count, false, nil)
      }
      if state.isAtEnd || state.failure != nil { return (0, false, state.failure) }
      defer { state.isReading = true }
      return (nil, !state.isReading, nil)
    }
    if let failure { throw failure }
    if mustRead { queue.async { [weak self] in self?.readPiece(pauses: 0) } }
    return count
  }

  private func readPiece(pauses: Int) {
    if stream.streamStatus == .notOpen { stream.open() }
    let wasAvailable = stream.hasBytesAvailable
    var result = 0
    let piece = [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { buffer, count in
      if let start = buffer.baseAddress { result = stream.read(start, maxLength: buffer.count) }
      count = max(0, result)
    }
    let isOpen = [.opening, .open, .reading].contains(stream.streamStatus)
    if result == 0, isOpen, !wasAvailable, awaitsLength || pauses < Self.patience {
      queue.asyncAfter(deadline: .now() + Self.pause) { [weak self] in self?.readPiece(pauses: pauses + 1) }
      return
    }
    // Asked for an error only where there is one: FoundationNetworking's stream traps where there is none.
    let hasFailed = result < 0 || stream.streamStatus == .error
    let failure: TransferError? =
      hasFailed
      ? .cannotReadBody(reason: stream.streamError?.localizedDescription ?? "the stream failed") : nil
    state.withLock { state in
      state.piece = piece
      state.start = 0
      state.isReading = false
      state.isAtEnd = piece.isEmpty
      state.failure = failure
    }
    more()
  }
}
