/// A frame of HTTP/2 (RFC 9113, section 6).
enum HTTP2Frame {
  case settings
  /// 307, with a Location.
  case redirect(stream: UInt8, to: String)
  /// 200, with a body.
  case response(stream: UInt8, String, isWhole: Bool = true)
  case reset(stream: UInt8, code: UInt8)
  case goAway(last: UInt8)
  /// Allows the peer to send 65,535 more bytes.
  case window(stream: UInt8)

  var bytes: [UInt8] {
    switch self {
    case .settings: frame(4, 0, [])
    case .redirect(let stream, let location):
      frame(
        1, flags: 5, stream,
        [0x08, 3] + Array("307".utf8) + [0x0F, 0x1F, UInt8(location.utf8.count)] + location.utf8)
    case .response(let stream, let text, let isWhole):
      frame(1, flags: 4, stream, [0x88]) + frame(0, flags: isWhole ? 1 : 0, stream, Array(text.utf8))
    case .reset(let stream, let code): frame(3, stream, [0, 0, 0, code])
    case .goAway(let last): frame(7, 0, [0, 0, 0, last, 0, 0, 0, 0])
    case .window(let stream): frame(8, stream, [0, 0, 0xFF, 0xFF])
    }
  }

  private func frame(
    _ kind: UInt8, flags: UInt8 = 0, _ stream: UInt8, _ payload: [UInt8]
  ) -> [UInt8] {
    [0, 0, UInt8(payload.count), kind, flags, 0, 0, 0, stream] + payload
  }
}

extension OpenSSLServer {
  func send(_ frames: HTTP2Frame...) {
    send(frames)
  }

  func send(_ frames: [HTTP2Frame]) {
    send(frames.flatMap(\.bytes))
  }
}
