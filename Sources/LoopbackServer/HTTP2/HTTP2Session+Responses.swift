import CLoopbackServer

/// The responses, step by step.
extension HTTP2Session {
  func start(_ reply: LoopbackServer.Reply, _ stream: HTTP2Stream) {
    guard let request = stream.request else { return }
    stream.exchange = Connection.Exchange(
      request: request, writer: ReplyWriter(reply, for: request.method, isHTTP2: true))
    guard reply.framing == .raw else { return advance(stream) }
    raw += reply.rawBytes
    if reply.closes { ending = .close }
  }

  /// Continues after a pause.
  func proceed(_ stream: HTTP2Stream) {
    stream.isPaused = false
    advance(stream)
  }

  /// Runs the reply until its head is sent, and has its body asked for.
  private func advance(_ stream: HTTP2Stream) {
    while canRun(stream), !stream.hasSentHead { fill(stream) }
    if stream.hasSentHead { cloopback_http2_resume(session, stream.id) }
  }

  private func canRun(_ stream: HTTP2Stream) -> Bool {
    !stream.isPaused && stream.end == nil && ending == nil
  }

  /// Produces output, and takes the step that follows it once all of it has left.
  private func fill(_ stream: HTTP2Stream) {
    if !stream.hasOutput, let step = stream.exchange?.next {
      stream.exchange?.next = nil
      take(step, stream)
    }
    while canRun(stream), stream.exchange?.next == nil, stream.output.count < Self.blockSize {
      guard let step = stream.exchange?.writer.next(into: &stream.output) else { return }
      guard case .more = step else {
        stream.exchange?.next = step
        return
      }
      sendHead(stream)
    }
  }

  private func take(_ step: ReplyWriter.Step, _ stream: HTTP2Stream) {
    switch step {
    case .more: break
    case .pause(let pause): self.pause(pause, stream)
    case .end(let end):
      stream.end = end
      switch end {
      case .complete(let closes): if closes { cloopback_http2_go_away(session, -1, 0) }
      case .truncated(.close): ending = .close
      case .truncated(.reset): reset(stream, code: 2)
      }
    }
  }

  private func sendHead(_ stream: HTTP2Stream) {
    guard !stream.hasSentHead, let writer = stream.exchange?.writer else { return }
    stream.hasSentHead = true
    let reply = writer.reply
    for interim in reply.interim {
      withFields([(":status", String(interim.status))] + interim.headers) {
        cloopback_http2_inform(session, stream.id, $0, $1)
      }
    }
    let fields = [(":status", String(reply.status))] + writer.head.fields(of: reply)
    stream.exchange?.bytesSent = fields.reduce(0) { $0 + $1.0.utf8.count + $1.1.utf8.count }
    withFields(fields) { cloopback_http2_respond(session, stream.id, $0, $1, writer.hasBodySteps) }
    if !writer.hasBodySteps { take(.end(.complete(closes: writer.head.closes)), stream) }
  }

  /// Writes the next bytes of the body; returns their number, and in `next` what may follow them.
  func writeBody(
    _ id: Int32, _ buffer: UnsafeMutableBufferPointer<UInt8>, _ next: UnsafeMutablePointer<Int32>?
  ) -> Int {
    let stream = stream(id)
    while !stream.hasOutput, canRun(stream) { fill(stream) }
    let count = stream.takeOutput(into: buffer)
    // Otherwise the end would be a frame of its own.
    if !stream.hasOutput, case .end(.complete)? = stream.exchange?.next { fill(stream) }
    if !stream.hasOutput, case .complete? = stream.end { next?.pointee = end(stream) }
    return count
  }

  /// Ends the body, and sends its trailers.
  private func end(_ stream: HTTP2Stream) -> Int32 {
    let trailers = stream.exchange?.writer.reply.trailers ?? []
    if trailers.isEmpty { return Int32(CLOOPBACK_LAST) }
    withFields(trailers) { cloopback_http2_trail(session, stream.id, $0, $1) }
    return Int32(CLOOPBACK_TRAILERS)
  }
}
