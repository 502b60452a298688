extension LoopbackServer {
  /// How a server speaks HTTP/2 (RFC 9113).
  ///
  /// Over TLS it offers `h2` first (ALPN); without TLS it recognizes clients with prior knowledge. HTTP/1.1 is
  /// served as well. HTTP/2 needs libnghttp2, which is installed with libcurl on most systems.
  public struct HTTP2: Sendable, Hashable {
    /// The number of streams that a client may have open at a time on a connection.
    public var streamLimit: UInt32 = 100
    /// The number of bytes that a client may send on a stream before the server takes them, 0 to 2^31 - 1.
    ///
    /// Until a client has read the server's settings, it may send 65,535. With 0, it then sends no more.
    public var windowSize: UInt32 = 65_535

    /// Holds back the permission to send more until the gate is open; `nil` to grant it as bytes arrive.
    ///
    /// Until then, a client may send 65,535 bytes of bodies on a connection, and `windowSize` on a stream.
    public var windowGate: Gate?

    /// Whether the server closes a connection after GOAWAY, once its streams have ended.
    ///
    /// If not, the server leaves that to the client.
    public var closesAfterGoAway = true

    /// Whether the server responds when it has the head of a request.
    ///
    /// The handler then gets no body, which the server receives and drops.
    public var respondsBeforeBody = false

    /// Creates the default settings.
    public init() {}
  }
}

extension LoopbackServer.Reply {
  /// What a server may do on an HTTP/2 connection at any moment.
  public enum HTTP2Event: Sendable, Hashable {
    /// Says that it serves no stream after `last`, by default the last one that it has seen; the code 0 means
    /// that nothing is wrong.
    case goAway(last: Int32? = nil, code: UInt32 = 0)
    /// Ends the response's stream with an error code, such as 8 (`CANCEL`).
    case reset(code: UInt32)
    /// Sends so many frames that are no part of the response, at most 64 MiB of them.
    case flood(FloodFrame, count: Int)
    /// Changes the number of streams that the client may have open.
    case streamLimit(UInt32)
    /// Sends bytes as they are, such as frames that are not valid.
    case raw([UInt8])
  }

  /// A frame that costs the client work.
  public enum FloodFrame: Sendable, Hashable, CaseIterable {
    /// A ping, which the client must answer.
    case ping
    /// The server's settings, which the client must acknowledge; at most 10,000.
    case settings
    /// A part of the body that has no bytes.
    case emptyData
    /// A kibibyte of trailers that never end (`CONTINUATION`); the connection closes after the last one.
    case trailer
    /// The end of the response's stream with the code 8 (`CANCEL`).
    case reset
  }

  /// Does something of HTTP/2 after the head and the first `count` bytes of the body; over HTTP/1.1 nothing
  /// happens.
  public func http2(_ event: HTTP2Event, after count: Int = 0) -> Self {
    with { $0.bodyPauses.append((count, .http2(event))) }
  }

  /// Does something of HTTP/2 before the head or the body; over HTTP/1.1 nothing happens.
  ///
  /// There is no response after GOAWAY with a last stream before the response's own: the client may repeat the
  /// request elsewhere.
  public func http2(_ event: HTTP2Event, before part: Part) -> Self {
    switch part {
    case .head: with { $0.headPauses.append(.http2(event)) }
    case .body: http2(event, after: 0)
    }
  }

  /// Ends the stream with an error code and without a response, such as 7 (`REFUSED_STREAM`); over HTTP/1.1,
  /// resets the connection.
  public static func streamReset(code: UInt32) -> Self {
    reset.http2(.reset(code: code), before: .head)
  }
}
