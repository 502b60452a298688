import CLoopbackServer

/// What happens between the steps of a response: pauses, and the faults of HTTP/2.
extension HTTP2Session {
  func pause(_ pause: LoopbackServer.Reply.Pause, _ stream: HTTP2Stream) {
    switch pause {
    case .tls(let event):
      stream.isPaused = true
      waitingForTLS.append((stream, event))
    case .http2(let event):
      // What follows in the response must not overtake the event.
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

  /// Ends a stream with an error code; nothing follows on it.
  func reset(_ stream: HTTP2Stream, code: UInt32) {
    stream.isReset = true
    stream.isPaused = true
    waitingForWrite.removeAll { $0 === stream }
    cloopback_http2_reset(session, stream.id, code)
  }
}
