import Foundation

extension LoopbackServer.Reply {
  /// Accepts the handshake of a WebSocket (RFC 6455, section 4.2.2), and serves the connection.
  ///
  /// A request that is not a valid handshake gets 400, or 426 if it asks for another version than 13. The faults of
  /// other replies, such as `held(until:)`, do not apply to the handshake.
  ///
  /// - Parameters:
  ///   - subprotocol: the subprotocol to choose; `nil` for none.
  ///   - compression: whether to accept compression (RFC 7692) from clients that offer it; needs zlib.
  ///   - serve: serves the connection on a thread of its own, and may block. When it returns, the server closes
  ///     with 1000, unless it has sent a close frame, and gives the client two seconds to close.
  /// - Returns: the reply; its own header fields replace those of the handshake.
  public static func webSocket(
    subprotocol: String? = nil, compression: Bool = false,
    _ serve: @escaping @Sendable (LoopbackServer.WebSocket) -> Void
  ) -> Self {
    var reply = Self(status: 101)
    if let subprotocol { reply = reply.header("Sec-WebSocket-Protocol", subprotocol) }
    reply.serveWebSocket = serve
    reply.compressesWebSocket = compression
    return reply
  }

  /// Returns the bytes of the response to a handshake; `nil` if the request is not a valid one.
  func handshakeHead(for request: LoopbackServer.Request, isCompressed: Bool) -> [UInt8]? {
    guard let key = request.webSocketKey else { return nil }
    let accept = Data(SHA1.hash(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
    var head = Array("HTTP/1.1 101 Switching Protocols\r\n".utf8)
    let fields = [
      ("Upgrade", "websocket"), ("Connection", "Upgrade"),
      ("Sec-WebSocket-Accept", accept.base64EncodedString()),
    ]
    for (name, value) in fields where !headers.contains(where: { $0.name.lowercased() == name.lowercased() })
    {
      head.append(field: name, value)
    }
    for (name, value) in headers { head.append(field: name, value) }
    if isCompressed { head.append(field: "Sec-WebSocket-Extensions", MessageCompression.accepted) }
    return head + "\r\n".utf8
  }
}

extension LoopbackServer.Request {
  var offersCompression: Bool {
    headers.values(of: "Sec-WebSocket-Extensions").contains { $0.contains("permessage-deflate") }
  }

  /// The key of a valid handshake.
  fileprivate var webSocketKey: String? {
    let tokens = headers.values(of: "Connection").flatMap { $0.lowercased().split(separator: ",") }
    guard method == "GET", headers["Upgrade"]?.lowercased() == "websocket",
      tokens.contains(where: { $0.contains("upgrade") }), headers["Sec-WebSocket-Version"] == "13",
      let key = headers["Sec-WebSocket-Key"], Data(base64Encoded: key)?.count == 16
    else { return nil }
    return key
  }

  /// The reply to a request that is not a valid handshake.
  var handshakeRefusal: LoopbackServer.Reply {
    guard let version = headers["Sec-WebSocket-Version"], version != "13" else {
      return .text("not the handshake of a WebSocket", status: 400)
    }
    return .status(426).header("Sec-WebSocket-Version", "13").header("Upgrade", "websocket")
  }
}
