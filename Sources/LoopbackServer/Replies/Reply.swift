extension LoopbackServer {
  /// The server's reaction to a request: a response, and the faults in it.
  ///
  /// ```swift
  /// .json(#"{"ok": true}"#).delayed(by: .seconds(1))
  /// .bytes(image, type: "image/png").chunked().trickled(chunk: 512, every: .milliseconds(20))
  /// .text("Half of this").truncated(after: 7)
  /// ```
  ///
  /// Header fields are sent unchanged, including those that HTTP forbids.
  public struct Reply: Sendable {
    /// The status code.
    public var status: Int
    /// The header fields in the order sent, without those that the server adds for framing.
    public var headers: [(name: String, value: String)] = []
    var body: Body
    var framing = Framing.length
    var chunkSize: Int?
    var announcedLength: Int?
    var trailers: [(name: String, value: String)] = []
    var interim: [(status: Int, headers: [(name: String, value: String)])] = []
    var headPauses: [Pause] = []
    var bodyPauses: [(offset: Int, pause: Pause)] = []
    var pace: (chunk: Int, interval: Duration)?
    var truncation: Truncation?
    var closes = false
    /// Serves the connection after the head, if the reply accepts a WebSocket.
    var serveWebSocket: (@Sendable (WebSocket) -> Void)?
    var compressesWebSocket = false

    init(status: Int, body: Body = .bytes([])) {
      self.status = status
      self.body = body
    }

    enum Body: Sendable {
      case bytes([UInt8])
      case repeated(UInt8, count: Int)

      var count: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .repeated(_, let count): count
        }
      }
    }

    enum Framing: Sendable {
      case length
      case chunked
      case untilClose
      /// Only the body is sent, without a head.
      case raw
    }

    enum Pause: Sendable {
      case time(Duration)
      case gate(Gate)
      case forever
      /// No pause: the next bytes follow the event.
      case tls(TLSEvent)
      case http2(HTTP2Event)
    }

    /// The bytes of a raw reply.
    var rawBytes: [UInt8] {
      guard case .bytes(let bytes) = body else { return [] }
      return bytes
    }

    struct Truncation: Sendable {
      var part: Part
      var offset: Int
      var ending: Ending
    }
  }
}

extension LoopbackServer.Reply {
  /// A part of a response.
  public enum Part: Sendable, Hashable {
    /// The status line and the header fields.
    case head
    /// The body, without its framing.
    case body
  }

  /// How the server ends a connection.
  public enum Ending: Sendable, Hashable {
    /// Orderly: the peer reads the sent bytes and then the end of the stream.
    case close
    /// With a reset: the peer's reads and writes fail, and data that it has not read yet may be lost.
    case reset
  }
}
