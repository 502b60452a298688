import Foundation

/// Decides what the server of a recorded WebSocket does next.
struct WebSocketReplay {
  private let recording: RecordedWebSocket
  private let url: String
  /// The number of frames of the recording that the server has sent.
  private var next = 0
  /// The number of messages that the client has sent.
  private var sent = 0
  /// The payload of the client's close frame.
  private var closing: Data?
  /// The payloads of pings to respond to.
  private var pings: [Data] = []
  private var isClosedByServer = false

  init(_ recording: RecordedWebSocket, url: String) {
    self.recording = recording
    self.url = url
  }

  /// Takes a frame of the client.
  mutating func receive(_ frame: WebSocketFrameSplitter.Frame) {
    switch frame.opcode {
    case 8: closing = frame.unmaskedPayload
    case 9: pings.append(frame.unmaskedPayload)
    case 10: break
    default: sent += 1
    }
  }

  /// Returns the event that is due; `nil` if the client has to send first.
  mutating func event() -> TransferEvent? {
    guard !isClosedByServer else { return .finished(nil) }
    if !pings.isEmpty { return .body(RecordedWebSocket.Frame.bytes(first: 0x8A, pings.removeFirst())) }
    if next < recording.frames.count {
      let frame = recording.frames[next]
      if hasSent(frame.after, close: frame.afterClose) {
        next += 1
        isClosedByServer = frame.kind == .close
        return .body(frame.bytes)
      }
    } else if hasSent(recording.sent, close: recording.isClosedByClient) {
      switch recording.end {
      case .closed: return .finished(nil)
      case .lost: return .finished(.connectionLost(reason: recording.reason ?? "as in the recording"))
      case .cutOff where closing == nil: return notRecorded
      case .cutOff, .open: break
      }
    }
    if sent > recording.sent { return notRecorded }
    guard let closing else { return nil }
    isClosedByServer = true
    return .body(RecordedWebSocket.Frame.bytes(first: 0x88, closing))
  }

  private func hasSent(_ count: Int, close: Bool?) -> Bool {
    sent >= count && (close != true || closing != nil)
  }

  private var notRecorded: TransferEvent {
    .finished(.conversationNotRecorded(url: url, afterMessages: recording.sent))
  }
}
