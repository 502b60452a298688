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
    }

    /// A frame that the client has sent.
    public struct Frame: Sendable, Hashable {
      /// 0 continuation, 1 text, 2 binary, 8 close, 9 ping, 10 pong.
      public let opcode: UInt8
      /// Whether it is the last frame of its message.
      public let isFinal: Bool
      /// Whether it begins a compressed message (RFC 7692), whose payload is given as it came.
      public let isCompressed: Bool
      /// Whether the payload was masked, as a client must do.
      public let isMasked: Bool
      /// The payload, unmasked.
      public let payload: [UInt8]
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
      var frames: [Frame] = []
      var closing: Closing?
      var hasSentClose = false
      var isOver = false
    }

    /// The maximum number of frames that `frames` keeps.
    private static let keptFrames = 100_000

    /// The request of the handshake.
    public let request: Request
    private let socket: Socket
    private let state: Lock<State>
    /// Sending one frame after the other takes several system calls.
    private let sending = Lock(())

    init(_ socket: Socket, _ request: Request, input: [UInt8]) {
      self.socket = socket
      self.request = request
      state = Lock(State(parser: WebSocketFrameParser(input)))
    }

    /// The frames that the client has sent, as far as `receive()` has read them; at most 100,000.
    public var frames: [Frame] { state.withLock { $0.frames } }

    /// What the client's close frame says; `nil` if `receive()` has read none.
    public var closing: Closing? { state.withLock { $0.closing } }

    /// Waits for the next message, and responds to pings and to a close frame; `nil` after the close frame, or
    /// when the connection has ended.
    ///
    /// A frame without a mask, or with an invalid length, closes the connection with 1002.
    public func receive() -> Message? {
      var opcode: UInt8 = 0
      var payload: [UInt8] = []
      while let frame = readFrame() {
        state.withLock { if $0.frames.count < Self.keptFrames { $0.frames.append(frame) } }
        guard frame.isMasked else {
          close(code: 1002, reason: "a frame without a mask")
          return nil
        }
        switch frame.opcode {
        case 8:
          let code = frame.payload.count < 2 ? nil : UInt16(frame.payload[0]) << 8 | UInt16(frame.payload[1])
          let reason = String(decoding: frame.payload.dropFirst(2), as: UTF8.self)
          state.withLock { $0.closing = Closing(code: code, reason: reason) }
          close(code: code)
          return nil
        case 9: pong(frame.payload)
        case 10: break
        default:
          if frame.opcode != 0 { opcode = frame.opcode }
          payload += frame.payload
          guard frame.isFinal else { continue }
          return opcode == 1 ? .text(String(decoding: payload, as: UTF8.self)) : .binary(payload)
        }
      }
      return nil
    }

    /// Sends a message in one frame; blocks while the client does not read.
    public func send(_ message: Message) {
      switch message {
      case .text(let text): sendRaw(Self.frame(1, Array(text.utf8)))
      case .binary(let bytes): sendRaw(Self.frame(2, bytes))
      }
    }

    /// Sends a message in several frames.
    public func send(fragments: [[UInt8]], asText: Bool = false) {
      for (index, fragment) in fragments.enumerated() {
        let opcode: UInt8 = index > 0 ? 0 : asText ? 1 : 2
        sendRaw(Self.frame(opcode, fragment, isFinal: index == fragments.count - 1))
      }
    }

    /// Sends a ping.
    public func ping(_ payload: [UInt8] = []) { sendRaw(Self.frame(9, payload)) }

    /// Sends a pong.
    public func pong(_ payload: [UInt8] = []) { sendRaw(Self.frame(10, payload)) }

    /// Sends a close frame, unless one has been sent.
    ///
    /// - Parameters:
    ///   - code: the code; `nil` for a frame without one.
    ///   - reason: the reason.
    public func close(code: UInt16?, reason: String = "") {
      let isFirst = state.withLock { state in
        defer { state.hasSentClose = true }
        return !state.hasSentClose
      }
      guard isFirst else { return }
      sendRaw(Self.frame(8, code.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] + Array(reason.utf8) } ?? []))
    }

    /// Sends bytes as they are, such as an invalid frame.
    public func sendRaw(_ bytes: [UInt8]) {
      sending.withLock { _ in
        var rest = bytes[...]
        while !rest.isEmpty, !state.withLock({ $0.isOver }) {
          switch socket.send(rest) {
          case .bytes(let count): rest = rest.dropFirst(count)
          case .wouldBlock: socket.waitUntilReady(toSend: true)
          case .closed: return
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
      while readMore() { state.withLock { $0.parser.removeAll() } }
    }

    /// Serves the connection, and ends it.
    func run(_ head: [UInt8], _ serve: (WebSocket) -> Void) {
      sendRaw(head)
      serve(self)
      close(code: 1000)
      socket.endSending()
      waitForEnd()
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
        case .frame(let frame): return frame
        case .needsMore: guard readMore() else { return nil }
        case .invalidLength:
          close(code: 1002, reason: "a frame with an invalid length")
          return nil
        }
      }
    }

    /// Waits for input; returns `false` at the end of the connection.
    private func readMore() -> Bool {
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        switch buffer.withUnsafeMutableBytes({ socket.receive(into: $0) }) {
        case .bytes(let count):
          state.withLock { $0.parser.append(buffer[..<count]) }
          return true
        case .wouldBlock: socket.waitUntilReady(toSend: false)
        case .closed: return false
        }
      }
    }

    static func frame(_ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true) -> [UInt8] {
      var bytes = [(isFinal ? 0x80 : 0) | opcode]
      switch payload.count {
      case ..<126: bytes.append(UInt8(payload.count))
      case ..<65_536: bytes += [126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
      default:
        bytes += [127] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: payload.count >> (8 * $0)) }
      }
      return bytes + payload
    }
  }
}
