public import struct Foundation.Data

/// The answer to a request, piece by piece as it arrives: what `NetworkProvider.stream(_:headers:)` gives.
///
/// ```swift
/// let stream = provider.stream(.log)
/// print(try await stream.response.headers["Content-Type"] ?? "unknown")
/// for try await chunk in stream {
///   if chunk.contains(0) { break }  // takes the transfer off the wire
/// }
/// ```
///
/// The request is under way from the beginning, and up to 256 KiB of its answer are kept for a reader. There is one
/// body: a second iteration gets what the first has left, and two at a time share it between them.
///
/// Leaving an iteration cancels the request, as do cancelling the task that reads and letting go of the stream. What was
/// cancelled throws `NetworkError.cancelled`.
public struct ResponseStream: AsyncSequence, Sendable {
  /// A piece of the body, never empty.
  public typealias Element = Data
  /// Why there is no whole answer.
  public typealias Failure = NetworkError

  private let reading: Reading

  init(_ buffer: BodyBuffer, _ token: any Cancellable) {
    reading = Reading(buffer, token)
  }

  /// The head of the answer, as soon as it has arrived and its status is known to be welcome.
  public var response: Response {
    get async throws(NetworkError) { try await reading.response() }
  }

  /// Takes the transfer off the wire; what has not been read yet is dropped.
  public func cancel() {
    reading.token.cancel()
  }

  /// Begins to read.
  public func makeAsyncIterator() -> Iterator { Iterator(reading) }

  /// Reads the body.
  public struct Iterator: AsyncIteratorProtocol {
    private let reading: Reading
    private let leash: Leash

    fileprivate init(_ reading: Reading) {
      self.reading = reading
      self.leash = Leash(reading.token)
    }

    /// Waits for the next piece; `nil` after the last one.
    ///
    /// - Throws: why the body is not whole.
    public mutating func next() async throws(NetworkError) -> Data? {
      try await reading.next()
    }

    /// Waits for the next piece; `nil` after the last one.
    ///
    /// - Throws: why the body is not whole.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(NetworkError) -> Data? {
      try await reading.next()
    }
  }
}

/// Cancels a request when it goes.
private final class Leash: Sendable {
  let token: any Cancellable

  init(_ token: any Cancellable) {
    self.token = token
  }

  deinit {
    token.cancel()
  }
}

/// A buffer as something to wait for.
private final class Reading: Sendable {
  private let buffer: BodyBuffer
  private let leash: Leash

  init(_ buffer: BodyBuffer, _ token: any Cancellable) {
    self.buffer = buffer
    self.leash = Leash(token)
  }

  var token: any Cancellable { leash.token }

  func response() async throws(NetworkError) -> Response {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in buffer.whenOpened { continuation.resume() } }
    } onCancel: {
      token.cancel()
    }
    return try buffer.opening.get()
  }

  func next() async throws(NetworkError) -> Data? {
    while true {
      switch await nextPiece() {
      case .response, nil: continue
      case .chunk(let chunk): return chunk
      case .end(let result):
        _ = try result.get()
        return nil
      }
    }
  }

  /// `nil` where there may be one now.
  private func nextPiece() async -> BodyBuffer.Piece? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if let piece = buffer.next(orWhenReady: { continuation.resume(returning: nil) }) {
          continuation.resume(returning: piece)
        }
      }
    } onCancel: {
      token.cancel()
    }
  }
}
