import CLoopbackServer

/// The HTTP/2 of one connection: its streams, each with a request and the response to it.
///
/// It reads and writes no socket; the connection passes bytes in both directions.
final class HTTP2Session {
  /// The bytes that a client begins with (RFC 9113, section 3.4).
  static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  static let blockSize = 65_536

  unowned let connection: Connection
  let settings: LoopbackServer.HTTP2
  private(set) var session: OpaquePointer?
  var streams: [Int32: HTTP2Stream] = [:]
  /// The number of requests whose head has been received.
  var count = 0
  /// The streams that wait, by the number of their pause.
  var pauses: [Int: HTTP2Stream] = [:]
  var window = HTTP2Window()
  /// Bytes to send as they are, between the frames.
  var raw: [UInt8] = []
  /// The streams whose responses go on after what is queued now.
  var waitingForWrite: [HTTP2Stream] = []
  /// The streams whose bodies go on after what is written now has left, and after an event of TLS.
  var waitingForTLS: [(stream: HTTP2Stream, event: LoopbackServer.Reply.TLSEvent)] = []
  /// The streams whose responses are written in full, and have not left yet.
  var written: [HTTP2Stream] = []
  /// Whether the settings, which come before anything else, have been sent.
  private var hasSentSettings = false
  /// Whether a reply has asked for GOAWAY.
  var saysGoodbye = false
  /// How a reply ends the whole connection, once everything before is sent.
  var ending: LoopbackServer.Reply.Ending?

  init?(_ connection: Connection, _ settings: LoopbackServer.HTTP2) {
    self.connection = connection
    self.settings = settings
    var handler = cloopback_http2_handler(self)
    session = cloopback_http2_make(&handler, settings.streamLimit, settings.windowSize)
    if session == nil { return nil }
    if let gate = settings.windowGate { window.hold(until: connection.wait(for: .gate(gate))) }
  }

  deinit {
    if let session { cloopback_http2_free(session) }
  }

  /// Whether nothing more is to be sent or received, or the connection cannot go on.
  var isOver: Bool {
    if saysGoodbye, !settings.closesAfterGoAway { return false }
    return session.map { cloopback_http2_is_over($0) } ?? true
  }

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
      proceed(stream)
    }
    while output.count < Self.blockSize {
      if hasSentSettings {
        writeRaw(into: &output)
        // Other streams must not delay the end.
        if ending != nil { return }
      }
      let isEmpty = !writeFrame(into: &output)
      hasSentSettings = true
      if isEmpty, raw.isEmpty, waitingForWrite.isEmpty { return }
    }
  }

  /// Appends the raw bytes, which neither overtake the frames before them nor wait for bodies.
  private func writeRaw(into output: inout [UInt8]) {
    guard !raw.isEmpty || !waitingForWrite.isEmpty else { return }
    while cloopback_http2_has_frames(session), writeFrame(into: &output) {}
    output += raw
    let streams = waitingForWrite
    (raw, waitingForWrite) = ([], [])
    for stream in streams { proceed(stream) }
  }

  private func writeFrame(into output: inout [UInt8]) -> Bool {
    let bytes = cloopback_http2_send(session)
    output.append(contentsOf: bytes.buffer)
    return bytes.count > 0
  }

  /// Continues what a pause has held.
  func resume(pause: Int) {
    if let held = window.release(pause: pause) {
      for (stream, count) in held { cloopback_http2_consume(session, stream, count) }
    }
    guard let stream = pauses.removeValue(forKey: pause) else { return }
    stream.pauseNumber = nil
    stream.gateWait = nil
    proceed(stream)
  }

  /// Returns the number of the responses that have left since the last call.
  func takeAnswered() -> Int { exchange(&written, with: []).count }

  /// Forgets all streams, because the connection has ended; logs those that had no whole response.
  ///
  /// - Parameter note: called for each request, and for its response if there is one.
  func end(_ note: (LoopbackServer.Request, Connection.Exchange?) -> Void) {
    for stream in written + streams.values where !stream.isRejected {
      if let request = stream.request { note(request, stream.exchange) }
      release(stream)
    }
    (streams, pauses, written) = ([:], [:], [])
    window.cancel()
  }

  func stream(_ id: Int32) -> HTTP2Stream {
    if let stream = streams[id] { return stream }
    let stream = HTTP2Stream(id: id)
    streams[id] = stream
    return stream
  }

  /// Ends the waits of a stream that has ended.
  func release(_ stream: HTTP2Stream) {
    if let wait = stream.gateWait { wait.gate.cancel(wait.token) }
    stream.gateWait = nil
    if let number = stream.pauseNumber.take() { pauses[number] = nil }
    waitingForWrite.removeAll { $0 === stream }
    waitingForTLS.removeAll { $0.stream === stream }
  }
}
