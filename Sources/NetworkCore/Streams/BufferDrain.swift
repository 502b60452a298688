import Dispatch

/// Delivers the pieces of a `BodyBuffer` on a queue, one at a time.
final class BufferDrain: Sendable {
  /// The number of pieces to deliver before other work on the queue can run.
  private static let batch = 32

  private let buffer: BodyBuffer
  private let queue: DispatchQueue?
  private let deliver: @Sendable (BodyBuffer.Piece) -> Void

  /// Creates a drain; without a queue, the thread that fills the buffer also delivers.
  init(
    of buffer: BodyBuffer, on queue: DispatchQueue?, deliver: @escaping @Sendable (BodyBuffer.Piece) -> Void
  ) {
    self.buffer = buffer
    self.queue = queue
    self.deliver = deliver
  }

  /// Starts the drain, which stays alive until it has delivered the end.
  func begin() {
    if let queue { queue.async { self.drain() } } else { drain() }
  }

  private func drain() {
    for _ in 0..<Self.batch {
      guard let piece = buffer.next(orWhenReady: { self.begin() }) else { return }
      deliver(piece)
      if case .end = piece { return }
    }
    begin()
  }
}
