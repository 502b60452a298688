import Dispatch

/// Takes a buffer's pieces on a queue, one at a time.
final class QueueDrain: Sendable {
  /// How many pieces are taken before others on the queue have their turn.
  private static let batch = 32

  private let buffer: BodyBuffer
  private let queue: DispatchQueue?
  private let take: @Sendable (BodyBuffer.Piece) -> Void

  /// Makes a drain; without a queue, pieces are taken by the thread that brings them.
  init(
    of buffer: BodyBuffer, on queue: DispatchQueue?, take: @escaping @Sendable (BodyBuffer.Piece) -> Void
  ) {
    self.buffer = buffer
    self.queue = queue
    self.take = take
  }

  /// Begins; the drain lives until it has taken the end.
  func begin() {
    if let queue { queue.async { self.drain() } } else { drain() }
  }

  private func drain() {
    for _ in 0..<Self.batch {
      guard let piece = buffer.next(orWhenReady: { self.begin() }) else { return }
      take(piece)
      if case .end = piece { return }
    }
    begin()
  }
}
