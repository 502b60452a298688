import CLoopbackServer

/// What the client sends.
extension HTTP2Session {
  func receiveField(_ name: String, _ value: String, _ id: Int32) {
    stream(id).add(name, value, limit: connection.loop.state.options.headLimit)
  }

  func endHead(_ id: Int32) {
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

  func receiveBody(_ bytes: UnsafeBufferPointer<UInt8>, _ id: Int32) {
    if !window.hold(bytes.count, of: id) { cloopback_http2_consume(session, id, bytes.count) }
    let (stream, options) = (stream(id), connection.loop.state.options)
    guard stream.exchange == nil else { return }
    stream.append(bytes, kept: options.keptBodyBytes)
    if (stream.request?.bodyLength ?? 0) > options.bodyLimit { reject(.status(413), stream) }
  }

  /// Begins the response, because the request is complete, or its head if the server does not wait for more.
  func respond(_ id: Int32) {
    let stream = stream(id)
    guard stream.exchange == nil, var request = stream.request else { return }
    let reply = connection.reply(to: &request)
    stream.request = request
    start(reply.serveWebSocket == nil ? reply : .status(501), stream)
  }

  /// Notes the end of a stream, whichever side has ended it.
  func noteClosed(_ id: Int32, _ code: UInt32) {
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

  /// Notes that GOAWAY has been sent, by libnghttp2 itself if the client does not keep to the protocol.
  func noteGoAway(_ code: UInt32) {
    if code != 0, !saysGoodbye { connection.loop.state.logStore.record { $0.rejected += 1 } }
  }
}
