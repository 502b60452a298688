import CLoopbackServer

extension cloopback_http2_handler {
  /// The functions that libnghttp2 calls while the session receives or writes; the session must outlive them.
  init(_ session: HTTP2Session) {
    self.init()
    context = Unmanaged.passUnretained(session).toOpaque()
    field = { http2(of: $0).receiveField($2.text, $3.text, $1) }
    head = { http2(of: $0).endHead($1) }
    data = { http2(of: $0).receiveBody($2.buffer, $1) }
    end = { http2(of: $0).respond($1) }
    closed = { http2(of: $0).noteClosed($1, $2) }
    goneAway = { http2(of: $0).noteGoAway($1) }
    body = { context, stream, buffer, capacity, next in
      http2(of: context).writeBody(stream, UnsafeMutableBufferPointer(start: buffer, count: capacity), next)
    }
  }
}

private func http2(of context: UnsafeMutableRawPointer?) -> HTTP2Session {
  guard let context else { preconditionFailure("The context is the session.") }
  return Unmanaged<HTTP2Session>.fromOpaque(context).takeUnretainedValue()
}
