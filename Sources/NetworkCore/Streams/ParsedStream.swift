import struct Foundation.Data

/// The elements that a parser finds in a streamed body.
struct ParsedStream<Parser: ChunkParser>: AsyncSequence, Sendable {
  typealias Element = Parser.Element
  typealias Failure = NetworkError

  let chunks: ResponseStream
  let parser: Parser

  func makeAsyncIterator() -> Iterator { Iterator(chunks: chunks.makeAsyncIterator(), parser: parser) }

  struct Iterator: AsyncIteratorProtocol {
    private var chunks: ResponseStream.Iterator
    private var parser: Parser
    /// The complete elements; `returnedCount` counts those that have been returned.
    private var ready: [Parser.Element] = []
    private var returnedCount = 0
    private var failure: NetworkError?
    private var isOver = false

    init(chunks: ResponseStream.Iterator, parser: Parser) {
      self.chunks = chunks
      self.parser = parser
    }

    mutating func next() async throws(NetworkError) -> Parser.Element? {
      try await next(isolation: nil)
    }

    mutating func next(isolation actor: isolated (any Actor)?) async throws(NetworkError) -> Parser.Element? {
      // The handler of a cancel is set only while a chunk is awaited, and one chunk may have many elements.
      if _Concurrency.Task.isCancelled, returnedCount < ready.count || failure != nil {
        chunks.cancel()
        (ready, returnedCount, failure, isOver) = ([], 0, nil, true)
        throw .cancelled
      }
      while returnedCount == ready.count {
        if let failure = failure.take() { throw failure }
        if isOver { return nil }
        let chunk = try await chunks.next(isolation: actor)
        isOver = chunk == nil
        ready.removeAll(keepingCapacity: true)
        returnedCount = 0
        do {
          if let chunk { try parser.parse(chunk, into: &ready) } else { try parser.finish(into: &ready) }
        } catch {
          // The elements before the error are delivered first.
          failure = .underlying(error, nil)
          isOver = true
        }
      }
      defer { returnedCount += 1 }
      return ready[returnedCount]
    }
  }
}
