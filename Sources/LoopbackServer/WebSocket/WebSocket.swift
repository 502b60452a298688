import Foundation
import ReactiveNetworkLock

extension LoopbackServer {
  /// The server's side of a WebSocket (RFC 6455), which a reply serves on a thread of its own.
  ///
  /// ```swift
  /// server.route("/echo") { _ in
  ///   .webSocket { socket in
  ///     while let message = socket.receive() { socket.send(message) }
  ///   }
  /// }
  /// ```
  ///
  /// Call `receive()` on one thread at a time; every other method may be called on any thread.
  public final class WebSocket: Sendable {
    /// A message.
    public enum Message: Sendable, Hashable {
      /// A text message.
      case text(String)
      /// A binary message.
      case binary([UInt8])

      var opcode: UInt8 {
        switch self {
        case .text: 1
        case .binary: 2
        }
      }

      var bytes: [UInt8] {
        switch self {
        case .text(let text): Array(text.utf8)
        case .binary(let bytes): bytes
        }
      }
    }

    /// What the client's close frame says.
    public struct Closing: Sendable, Hashable {
      /// The code; `nil` if the frame has none.
      public let code: UInt16?
      /// The reason.
      public let reason: String
    }

    private struct State {
      var parser: WebSocketFrameParser
      var received = FrameLog()
      var sent = FrameLog()
      var closing: Closing?
      /// Whether `receive()` has read a close frame, or a frame that is against the protocol.
      var hasEnded = false
      var hasSentClose = false
      var isOver = false
    }

    /// The request of the handshake.
    public let request: Request
    /// Whether client and server have agreed on compression.
    public let isCompressed: Bool
    private let start = ContinuousClock.now
    private let socket: Socket
    private let state: Lock<State>
    /// Sending one frame after the other takes several system calls.
    private let sending = Lock(())

    init(_ socket: Socket, _ request: Request, isCompressed: Bool, input: [UInt8]) {
      self.socket = socket
      self.isCompressed = isCompressed
      self.request = request
      state = Lock(State(parser: WebSocketFrameParser(input)))
    }

    /// The frames that the client has sent, as far as `receive()` has read them.
    ///
    /// At most 100,000 are kept, and 64 MiB of their payloads; payloads that do not fit are left out.
    public var frames: [Frame] { state.withLock { $0.received.frames } }

    /// The frames that the server has sent, without those of `sendRaw(_:)` and `send(_:with:)`; with the same
    /// bounds.
    public var sentFrames: [Frame] { state.withLock { $0.sent.frames } }

    /// What the client's close frame says; `nil` if `receive()` has read none.
    public var closing: Closing? { state.withLock { $0.closing } }

    /// Waits for the next message, and responds to pings and to a close frame.
    ///
    /// A frame without a mask, or with an invalid length, closes the connection with 1002, and a message that
    /// cannot be decompressed with 1007.
    ///
    /// - Parameter answersPings: whether pings get their pong.
    /// - Returns: the message; `nil` after the close frame or such an error, or when the connection has ended.
    public func receive(answersPings: Bool = true) -> Message? {
      if state.withLock({ $0.hasEnded }) { return nil }
      var first: Frame?
      var payload: [UInt8] = []
      while let frame = readFrame() {
        state.withLock { $0.received.append(frame) }
        guard frame.isMasked else {
          return end(code: 1002, reason: "a frame without a mask")
        }
        switch frame.opcode {
        case 8:
          let code = frame.payload.count < 2 ? nil : UInt16(frame.payload[0]) << 8 | UInt16(frame.payload[1])
          let reason = String(decoding: frame.payload.dropFirst(2), as: UTF8.self)
          state.withLock { $0.closing = Closing(code: code, reason: reason) }
          return end(code: code)
        case 9: if answersPings { pong(frame.payload) }
        case 10: break
        default:
          if frame.opcode != 0 { first = frame }
          payload += frame.payload
          guard frame.isFinal else { continue }
          if isCompressed, first?.isCompressed == true {
            guard let message = MessageCompression.decompress(payload) else {
              return end(code: 1007, reason: "a message that cannot be decompressed")
            }
            payload = message
          }
          return first?.opcode == 1 ? .text(String(decoding: payload, as: UTF8.self)) : .binary(payload)
        }
      }
      return nil
    }

    /// Closes, after which no further message is received.
    private func end(code: UInt16?, reason: String = "") -> Message? {
      state.withLock { $0.hasEnded = true }
      close(code: code, reason: reason)
      return nil
    }

    /// Sends a message in one frame, compressed if that is agreed; blocks while the client does not read.
    public func send(_ message: Message) {
      if isCompressed, let payload = MessageCompression.compress(message.bytes) {
        send(FrameBytes(opcode: message.opcode, reserved: 4, payload: payload))
      } else {
        send(FrameBytes(opcode: message.opcode, payload: message.bytes))
      }
    }

    /// Sends a message in several frames, which are not compressed.
    public func send(fragments: [[UInt8]], asText: Bool = false) {
      for (index, fragment) in fragments.enumerated() {
        let opcode: UInt8 = index > 0 ? 0 : asText ? 1 : 2
        send(FrameBytes(opcode: opcode, isFinal: index == fragments.count - 1, payload: fragment))
      }
    }

    /// Sends a ping.
    public func ping(_ payload: [UInt8] = []) { send(FrameBytes(opcode: 9, payload: payload)) }

    /// Sends a pong.
    public func pong(_ payload: [UInt8] = []) { send(FrameBytes(opcode: 10, payload: payload)) }

    /// Sends a close frame, unless one has been sent.
    ///
    /// - Parameters:
    ///   - code: the code; `nil` for a frame without one.
    ///   - reason: the reason.
    public func close(code: UInt16?, reason: String = "") {
      let isFirst = state.withLock { !exchange(&$0.hasSentClose, with: true) }
      guard isFirst else { return }
      let payload = code.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] + Array(reason.utf8) } ?? []
      send(FrameBytes(opcode: 8, payload: payload))
    }

    private func send(_ frame: FrameBytes) {
      state.withLock {
        $0.sent.append(
          Frame(
            opcode: frame.opcode, isFinal: frame.isFinal, isCompressed: frame.reserved & 4 != 0,
            isMasked: false, payload: frame.payload, time: start.duration(to: .now)))
      }
      sendRaw(frame.all)
    }

    /// Sends bytes as they are, such as an invalid frame.
    public func sendRaw(_ bytes: [UInt8]) {
      sending.withLock { _ in
        var rest = bytes[...]
        while !rest.isEmpty, !state.withLock({ $0.isOver }) {
          switch socket.send(rest) {
          case .bytes(let count): rest = rest.dropFirst(count)
          case .wouldBlock: socket.waitUntilReady(toSend: true)
          case .end, .closed: return
          }
        }
      }
    }

    /// Ends the connection without a close frame.
    public func abort() {
      // Under the lock, because the number of a closed socket may already be that of another one.
      state.withLock { if !$0.isOver { socket.shutDown() } }
    }

    /// Waits until the client has closed the connection; discards what it still sends.
    public func waitForEnd() {
      waitForEnd(until: .max)
    }

    private func waitForEnd(until deadline: UInt64) {
      while readMore(until: deadline) { state.withLock { $0.parser.removeAll() } }
    }

    /// Serves the connection, and ends it, whether or not the client closes its side.
    func run(_ head: [UInt8], _ serve: (WebSocket) -> Void) {
      sendRaw(head)
      serve(self)
      close(code: 1000)
      socket.endSending()
      waitForEnd(until: monotonicNow().adding(Connection.drainTime))
      sending.withLock { _ in
        state.withLock { state in
          state.isOver = true
          socket.close()
        }
      }
    }

    private func readFrame() -> Frame? {
      while true {
        switch state.withLock({ $0.parser.next() }) {
        case .frame(var frame):
          frame.time = start.duration(to: .now)
          return frame
        case .needsMore: guard readMore() else { return nil }
        case .invalidLength:
          close(code: 1002, reason: "a frame with an invalid length")
          return nil
        }
      }
    }

    /// Waits for input; returns `false` at the end of the connection, and after the deadline.
    private func readMore(until deadline: UInt64 = .max) -> Bool {
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while monotonicNow() < deadline {
        let result = buffer.withUnsafeMutableBytes { bytes in
          // Under the lock, because the number of a closed socket may already be that of another one.
          state.withLock { $0.isOver ? SocketResult.closed : socket.receive(into: bytes) }
        }
        switch result {
        case .bytes(let count):
          state.withLock { $0.parser.append(buffer[..<count]) }
          return true
        case .wouldBlock: socket.waitUntilReady(toSend: false, until: deadline)
        case .end, .closed: return false
        }
      }
      return false
    }
  }
}
