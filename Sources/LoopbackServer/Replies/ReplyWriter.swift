/// Writes the bytes of a reply step by step, with pauses between them.
struct ReplyWriter {
  enum Step {
    /// Bytes were appended, and there are more.
    case more
    /// The next bytes follow after this pause.
    case pause(LoopbackServer.Reply.Pause)
    case end(End)
  }

  enum End {
    /// The response is complete.
    case complete(closes: Bool)
    /// The reply truncates the response.
    case truncated(LoopbackServer.Reply.Ending)
  }

  private enum Stage {
    case head
    case body
    case ended
  }

  private static let blockSize = 65_536
  let reply: LoopbackServer.Reply
  let head: ReplyHead
  private let length: Int
  private var stage = Stage.head
  private var headPauses = 0
  private var bodyPauses: ArraySlice<(offset: Int, pause: LoopbackServer.Reply.Pause)>
  private var offset = 0
  private var chunkEnd = 0
  private var pacedAt = 0
  /// A block filled with the byte that the body repeats.
  private var block: [UInt8] = []

  init(
    _ reply: LoopbackServer.Reply, for method: String, keepsAlive: Bool = true, isHTTP10: Bool = false,
    isHTTP2: Bool = false
  ) {
    self.reply = reply
    self.head = ReplyHead(
      reply, method: method, keepsAlive: keepsAlive, isHTTP10: isHTTP10, isHTTP2: isHTTP2)
    self.length = head.sendsBody ? reply.body.count : 0
    self.bodyPauses = reply.bodyPauses.sorted { $0.offset < $1.offset }[...]
  }

  /// Whether anything follows the head.
  var hasBodySteps: Bool {
    length > 0 || !bodyPauses.isEmpty || !reply.trailers.isEmpty || reply.truncation?.part == .body
  }

  /// Appends the next bytes to `output`, at most about one block, and returns the step that follows them.
  mutating func next(into output: inout [UInt8]) -> Step {
    switch stage {
    case .head: nextOfHead(into: &output)
    case .body: nextOfBody(into: &output)
    case .ended: .end(.complete(closes: true))
    }
  }

  private mutating func nextOfHead(into output: inout [UInt8]) -> Step {
    if headPauses < reply.headPauses.count {
      defer { headPauses += 1 }
      return .pause(reply.headPauses[headPauses])
    }
    let start = output.count
    head.write(reply, into: &output)
    if let truncation = reply.truncation, truncation.part == .head {
      stage = .ended
      output.removeSubrange(min(output.count, start.saturating(plus: truncation.offset))...)
      return .end(.truncated(truncation.ending))
    }
    stage = .body
    return .more
  }

  private mutating func nextOfBody(into output: inout [UInt8]) -> Step {
    if let first = bodyPauses.first, first.offset <= offset || offset == length {
      bodyPauses.removeFirst()
      return .pause(first.pause)
    }
    if let pace = reply.pace, offset < length, offset >= pacedAt.saturating(plus: pace.chunk) {
      pacedAt = offset
      return .pause(.time(pace.interval))
    }
    if let truncation = reply.truncation, offset >= truncation.offset {
      stage = .ended
      return .end(.truncated(truncation.ending))
    }
    if offset == length {
      stage = .ended
      if head.isChunked { writeLastChunk(into: &output) }
      return .end(.complete(closes: head.closes))
    }
    writePiece(into: &output)
    return .more
  }

  private mutating func writePiece(into output: inout [UInt8]) {
    if head.isChunked, offset == chunkEnd {
      chunkEnd = min(length, offset.saturating(plus: head.chunkSize))
      output.append(contentsOf: String(chunkEnd - offset, radix: 16).utf8)
      output.append(contentsOf: "\r\n".utf8)
    }
    var end = min(length, offset.saturating(plus: Self.blockSize))
    if head.isChunked { end = min(end, chunkEnd) }
    if let pause = bodyPauses.first { end = min(end, pause.offset) }
    if let pace = reply.pace { end = min(end, pacedAt.saturating(plus: pace.chunk)) }
    if let truncation = reply.truncation { end = min(end, truncation.offset) }
    switch reply.body {
    case .bytes(let bytes): output.append(contentsOf: bytes[offset..<end])
    case .repeated(let byte, _):
      // Copied from a block, because repeating the byte each time takes most of a test's time in debug
      // builds.
      if block.isEmpty { block = Array(repeating: byte, count: Self.blockSize) }
      output.append(contentsOf: block[..<(end - offset)])
    }
    offset = end
    if head.isChunked, offset == chunkEnd { output.append(contentsOf: "\r\n".utf8) }
  }

  private func writeLastChunk(into output: inout [UInt8]) {
    output.append(contentsOf: "0\r\n".utf8)
    for trailer in reply.trailers { output.append(field: trailer.name, trailer.value) }
    output.append(contentsOf: "\r\n".utf8)
  }
}

extension Int {
  fileprivate func saturating(plus other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
