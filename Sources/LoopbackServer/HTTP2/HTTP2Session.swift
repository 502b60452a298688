import CLoopbackServer

/// The HTTP/2 of one connection: its streams, each with a request and the response to it.
///
/// It reads and writes no socket; the connection passes bytes in both directions.
final class HTTP2Session {
  /// The bytes that a client begins with (RFC 9113, section 3.4).
  static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  private static let blockSize = 65_536

  private unowned let connection: Connection
  private let settings: LoopbackServer.HTTP2
  private var session: OpaquePointer?
  private var streams: [Int32: HTTP2Stream] = [:]
  private var count = 0
  /// The streams that wait, by the number of their pause.
  private var pauses: [Int: HTTP2Stream] = [:]
  /// Bytes to send as they are, between the frames.
  private var raw: [UInt8] = []
  /// The streams whose bodies go on after what is queued now.
  private var waitingForWrite: [HTTP2Stream] = []
  /// The streams whose bodies go on after what is written now has left, and after an event of TLS.
  private var waitingForTLS: [(stream: HTTP2Stream, event: LoopbackServer.Reply.TLSEvent)] = []
  /// The streams whose responses are written in full, and have not left yet.
  private var written: [HTTP2Stream] = []
  /// Whether the settings, which come before anything else, have been sent.
  private var hasSentSettings = false
  /// Whether a reply has asked for GOAWAY.
  private var saysGoodbye = false
  /// How a reply ends the whole connection, once everything before is sent.
  private(set) var ending: LoopbackServer.Reply.Ending?

  init?(_ connection: Connection, _ settings: LoopbackServer.HTTP2) {
    self.connection = connection
    self.settings = settings
    var handler = cloopback_http2_handler()
    handler.context = Unmanaged.passUnretained(self).toOpaque()
    handler.field = { context, stream, name, value in
      http2(of: context).stream(stream).add(
        name.text, value.text, limit: http2(of: context).connection.loop.state.options.headLimit)
    }
    handler.head = { context, stream in http2(of: context).endHead(stream) }
    handler.data = { context, stream, bytes in http2(of: context).receive(bytes.buffer, stream) }
    handler.end = { context, stream in http2(of: context).respond(stream) }
    handler.closed = { context, stream, code in http2(of: context).closed(stream, code) }
    handler.goneAway = { context, code in http2(of: context).goneAway(code) }
    handler.body = { context, stream, buffer, capacity, next in
      http2(of: context).writeBody(stream, UnsafeMutableBufferPointer(start: buffer, count: capacity), next)
    }
    session = cloopback_http2_make(&handler, settings.streamLimit, settings.windowSize)
    if session == nil { return nil }
  }

  deinit {
    if let session { cloopback_http2_free(session) }
  }

  /// Whether nothing more is to be sent or received, or the connection cannot go on.
  var isOver: Bool { session.map { cloopback_http2_is_over($0) } ?? true }

  /// Reads what the client has sent.
  func receive(_ bytes: UnsafeRawBufferPointer) {
    let bytes = bytes.bindMemory(to: UInt8.self)
    cloopback_http2_receive(session, bytes.baseAddress, bytes.count)
  }

  /// Appends the next bytes to send; called when all bytes before have left.
  func write(into output: inout [UInt8]) {
    let events = waitingForTLS
    waitingForTLS = []
    for (stream, event) in events {
      connection.socket.tls?.perform(event)
      stream.isPaused = false
      cloopback_http2_resume(session, stream.id)
    }
    while output.count < Self.blockSize {
      if hasSentSettings {
        writeRaw(into: &output)
        // Other streams must not delay the end.
        if ending != nil { return }
      }
      let bytes = cloopback_http2_send(session)
      output.append(contentsOf: bytes.buffer)
      hasSentSettings = true
      if bytes.count == 0, raw.isEmpty, waitingForWrite.isEmpty { return }
    }
  }

  private func writeRaw(into output: inout [UInt8]) {
    output += raw
    let streams = waitingForWrite
    (raw, waitingForWrite) = ([], [])
    for stream in streams {
      stream.isPaused = false
      cloopback_http2_resume(session, stream.id)
    }
  }

  /// Continues the response that a pause has held.
  func resume(pause: Int) {
    guard let stream = pauses.removeValue(forKey: pause) else { return }
    stream.isPaused = false
    stream.pauseNumber = nil
    stream.gateWait = nil
    advance(stream)
  }

  /// Returns the number of the responses that have left since the last call.
  func takeAnswered() -> Int {
    defer { written = [] }
    return written.count
  }

  /// Forgets all streams, because the connection has ended; logs those that had no whole response.
  ///
  /// - Parameter note: called for each request, and for its response if there is one.
  func end(_ note: (LoopbackServer.Request, Connection.Exchange?) -> Void) {
    for stream in written + streams.values where !stream.isRejected {
      if let request = stream.request { note(request, stream.exchange) }
      release(stream)
    }
    (streams, pauses, written) = ([:], [:], [])
  }

  private func stream(_ id: Int32) -> HTTP2Stream {
    if let stream = streams[id] { return stream }
    let stream = HTTP2Stream(id: id)
    streams[id] = stream
    return stream
  }

  // MARK: - The request

  private func endHead(_ id: Int32) {
    let stream = stream(id)
    guard stream.request == nil else { return }
    stream.endHead(connection: connection.id, index: count, handshake: connection.handshake)
    count += 1
    if stream.headBytes > connection.loop.state.options.headLimit {
      reject(.status(431), stream)
    } else if settings.respondsBeforeBody {
      respond(id)
    }
  }

  /// Refuses a request that is too large; what the client still sends of it is dropped.
  private func reject(_ reply: LoopbackServer.Reply, _ stream: HTTP2Stream) {
    connection.loop.state.logStore.record { $0.rejected += 1 }
    stream.isRejected = true
    start(reply, stream)
  }

  private func receive(_ bytes: UnsafeBufferPointer<UInt8>, _ id: Int32) {
    let (stream, options) = (stream(id), connection.loop.state.options)
    guard stream.exchange == nil else { return }
    stream.append(bytes, kept: options.keptBodyBytes)
    if (stream.request?.bodyLength ?? 0) > options.bodyLimit { reject(.status(413), stream) }
  }

  private func respond(_ id: Int32) {
    let stream = stream(id)
    guard stream.exchange == nil, var request = stream.request else { return }
    let reply = connection.reply(to: &request)
    stream.request = request
    start(reply.serveWebSocket == nil ? reply : .status(501), stream)
  }

  // MARK: - The response

  private func start(_ reply: LoopbackServer.Reply, _ stream: HTTP2Stream) {
    guard let request = stream.request else { return }
    stream.exchange = Connection.Exchange(
      request: request, writer: ReplyWriter(reply, for: request.method, isHTTP2: true))
    guard reply.framing == .raw else { return advance(stream) }
    raw += reply.rawBytes
    if reply.closes { ending = .close }
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
      case .truncated(let ending): truncate(stream, ending)
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

  private func writeBody(
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

  private func truncate(_ stream: HTTP2Stream, _ ending: LoopbackServer.Reply.Ending) {
    switch ending {
    case .close: self.ending = .close
    case .reset: reset(stream, code: 2)
    }
  }

  private func reset(_ stream: HTTP2Stream, code: UInt32) {
    stream.isReset = true
    stream.isPaused = true
    waitingForWrite.removeAll { $0 === stream }
    cloopback_http2_reset(session, stream.id, code)
  }

  private func pause(_ pause: LoopbackServer.Reply.Pause, _ stream: HTTP2Stream) {
    switch pause {
    case .tls(let event):
      stream.isPaused = true
      waitingForTLS.append((stream, event))
    case .http2(let event):
      // What follows in the body must not overtake the event.
      stream.isPaused = true
      waitingForWrite.append(stream)
      perform(event, stream)
    case .forever, .time, .gate:
      let wait = connection.wait(for: pause)
      (stream.isPaused, stream.gateWait) = (wait.isPaused, wait.gate)
      guard wait.isPaused else { return }
      pauses[wait.number] = stream
      stream.pauseNumber = wait.number
    }
  }

  private func perform(_ event: LoopbackServer.Reply.HTTP2Event, _ stream: HTTP2Stream) {
    switch event {
    case .goAway(let last, let code):
      saysGoodbye = true
      cloopback_http2_go_away(session, last ?? -1, code)
    case .reset(let code): reset(stream, code: code)
    case .flood(let frame, let count): flood(frame, max(0, count), stream)
    case .streamLimit(let limit): cloopback_http2_limit_streams(session, limit)
    case .raw(let bytes): raw += bytes
    }
  }

  private func flood(_ frame: LoopbackServer.Reply.FloodFrame, _ count: Int, _ stream: HTTP2Stream) {
    raw += frame.bytes(count: count, stream: stream.id)
    switch frame {
    case .ping, .emptyData: break
    case .settings:
      // The session must know them, because it ends the connection at an acknowledgement that it does not
      // expect. For each, libnghttp2 walks through the list of those without an acknowledgement.
      for _ in 0..<min(count, 10_000) { cloopback_http2_limit_streams(session, settings.streamLimit) }
    case .trailer: ending = .close
    case .reset: reset(stream, code: 8)
    }
  }

  private func closed(_ id: Int32, _ code: UInt32) {
    let stream = streams.removeValue(forKey: id)
    if let stream { release(stream) }
    guard let stream, let request = stream.request else {
      let (protocolError, log) = (UInt32(1), connection.loop.state.logStore)
      if code == protocolError { log.record { $0.rejected += 1 } }
      return
    }
    if stream.isRejected { return }
    if code == 0, case .complete? = stream.end { return written.append(stream) }
    let refused: UInt32 = 7
    let isBrokenOff = stream.isReset || saysGoodbye && code == refused
    connection.loop.state.logStore.record { log in
      if isBrokenOff {
        log.noteBrokenOff(stream.exchange)
      } else {
        log.noteAbandonment(request, stream.exchange, connection.loop.state.options)
      }
    }
  }

  private func goneAway(_ code: UInt32) {
    if code != 0, !saysGoodbye { connection.loop.state.logStore.record { $0.rejected += 1 } }
  }

  private func release(_ stream: HTTP2Stream) {
    if let wait = stream.gateWait { wait.gate.cancel(wait.token) }
    stream.gateWait = nil
    if let number = stream.pauseNumber.take() { pauses[number] = nil }
    waitingForWrite.removeAll { $0 === stream }
    waitingForTLS.removeAll { $0.stream === stream }
  }
}

private func http2(of context: UnsafeMutableRawPointer?) -> HTTP2Session {
  guard let context else { preconditionFailure("The context is the session.") }
  return Unmanaged<HTTP2Session>.fromOpaque(context).takeUnretainedValue()
}
