internal import NIOCore
internal import NetworkCore

/// A request body as the pieces that AsyncHTTPClient requests when the connection can take more.
actor RequestBodySequence: AsyncSequence {
  struct AsyncIterator: AsyncIteratorProtocol {
    let body: RequestBodySequence

    func next() async throws -> ByteBuffer? { try await body.next() }
  }

  private static let pieceSize = 64 << 10

  nonisolated let length: Int64?
  private let onPiece: @Sendable (_ count: Int64, _ length: Int64?) -> Void
  private let bytes: AsyncStream<Void>
  private let bytesAvailable: AsyncStream<Void>.Continuation
  private var reader: RequestBodyReader?
  private var count: Int64 = 0

  /// Opens the body of a request, which may block.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - onPiece: called after each piece, with the number of bytes so far and that of all.
  /// - Throws: an error if the request need not be started.
  init(
    _ request: TransportRequest, onPiece: @escaping @Sendable (_ count: Int64, _ length: Int64?) -> Void
  ) throws(TransferError) {
    let (bytes, bytesAvailable) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let reader = try request.bodyReader { bytesAvailable.yield() }
    (self.bytes, self.bytesAvailable, self.onPiece) = (bytes, bytesAvailable, onPiece)
    length = reader.length
    self.reader = reader
  }

  nonisolated func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: self) }

  /// Ends the sequence and releases the reader.
  func close() {
    reader = nil
    bytesAvailable.finish()
  }

  private func next() async throws -> ByteBuffer? {
    var piece = ByteBufferAllocator().buffer(capacity: Self.pieceSize)
    while reader != nil {
      var isPending = false
      let count = try piece.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.pieceSize) { buffer in
        let count = try reader?.read(into: buffer)
        isPending = count == nil
        return count ?? 0
      }
      if isPending {
        for await _ in bytes { break }
      } else if count > 0 {
        self.count += Int64(count)
        onPiece(self.count, length)
        return piece
      } else {
        return nil
      }
    }
    throw CancellationError()
  }
}
