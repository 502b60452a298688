public import struct Foundation.Data

/// A response that can be read while it arrives; returned by `NetworkProvider.stream(_:headers:)`.
///
/// ```swift
/// let stream = provider.stream(.log)
/// print(try await stream.response.headers["Content-Type"] ?? "unknown")
/// for try await chunk in stream {
///   if chunk.contains(0) { break }  // cancels the transfer
/// }
/// ```
///
/// The request is already active, and up to 256 KiB of its response are buffered for a reader. There is only
/// one body: two iterations at a time share the chunks.
///
/// Leaving an iteration cancels the request, so a later one cannot continue it. Cancelling the reading task or
/// releasing the stream does the same. A cancelled stream throws `NetworkError.cancelled`.
public struct ResponseStream: AsyncSequence, Sendable {
  /// A piece of the body, never empty.
  public typealias Element = Data
  /// The reason why the response is incomplete or missing.
  public typealias Failure = NetworkError

  private let reader: StreamReader

  init(_ buffer: BodyBuffer, _ token: any Cancellable) {
    reader = StreamReader(buffer, token)
  }

  /// The head of the response, available when it has arrived and its status has been accepted.
  public var response: Response {
    get async throws(NetworkError) { try await reader.response() }
  }

  /// Cancels the transfer, and drops all unread chunks.
  public func cancel() {
    reader.token.cancel()
  }

  /// Returns an iterator over the chunks.
  public func makeAsyncIterator() -> Iterator { Iterator(reader) }

  /// Reads the body.
  public struct Iterator: AsyncIteratorProtocol {
    private let reader: StreamReader
    private let canceller: CancelOnRelease

    fileprivate init(_ reader: StreamReader) {
      self.reader = reader
      self.canceller = CancelOnRelease(reader.token)
    }

    /// Cancels the transfer, and drops all unread chunks.
    func cancel() { canceller.token.cancel() }

    /// Waits for the next chunk and returns it; `nil` after the last one.
    ///
    /// - Throws: the reason why the body is incomplete.
    public mutating func next() async throws(NetworkError) -> Data? {
      try await reader.next()
    }

    /// Waits for the next chunk and returns it; `nil` after the last one.
    ///
    /// - Throws: the reason why the body is incomplete.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(NetworkError) -> Data? {
      try await reader.next()
    }
  }
}

/// Cancels a request when it is released.
private final class CancelOnRelease: Sendable {
  let token: any Cancellable

  init(_ token: any Cancellable) {
    self.token = token
  }

  deinit {
    token.cancel()
  }
}

/// Reads a buffer asynchronously.
private final class StreamReader: Sendable {
  private let buffer: BodyBuffer
  private let canceller: CancelOnRelease

  init(_ buffer: BodyBuffer, _ token: any Cancellable) {
    self.buffer = buffer
    self.canceller = CancelOnRelease(token)
  }

  var token: any Cancellable { canceller.token }

  func response() async throws(NetworkError) -> Response {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in buffer.whenResponseArrives { continuation.resume() } }
    } onCancel: {
      token.cancel()
    }
    return try buffer.responseResult.get()
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

  /// Returns a piece; `nil` after a wait, so that the caller tries again.
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
