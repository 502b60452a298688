import Foundation
import ReactiveNetworkLock

/// Records what a server sends over a WebSocket, between the transport and its caller.
final class WebSocketRecorder: Sendable {
  private struct State {
    var recording: RecordedWebSocket
    var isComplete = false
    var client = WebSocketFrameSplitter(keepsMessages: false)
    var server = WebSocketFrameSplitter(keepsMessages: true)
    /// What the client had sent when the frame began that is arriving.
    var before = (sent: 0, isClosed: false)
    /// The size of the recording, in bytes.
    var size = 0

    var current: (sent: Int, isClosed: Bool) { (recording.sent, recording.isClosedByClient == true) }

    mutating func receive(_ piece: Data, limit: Int) -> RecordedWebSocket? {
      guard !isComplete else { return nil }
      if server.incomplete.head.isEmpty { before = current }
      var frames: [WebSocketFrameSplitter.Frame] = []
      piece.withUnsafeBytes { server.split($0) { frames.append($0) } }
      for frame in frames {
        size += frame.payload.count + MemoryLayout<RecordedWebSocket.Frame>.stride
        guard size <= limit else { return complete(.cutOff) }
        let item = RecordedWebSocket.Frame(frame, after: before.sent, afterClose: before.isClosed)
        if let item { recording.frames.append(item) }
        // Nothing that follows counts.
        if item?.kind == .close { return complete(.closed) }
        before = current
      }
      return size + server.incomplete.payload.count <= limit ? nil : complete(.cutOff)
    }

    mutating func finish(_ error: TransferError?) -> RecordedWebSocket? {
      guard !isComplete else { return nil }
      if !server.incomplete.head.isEmpty {
        recording.frames.append(
          .init(after: before.sent, raw: server.incomplete.bytes, afterClose: before.isClosed))
      }
      switch error {
      case nil: return complete(.closed)
      case .cancelled?: return complete(.open)
      case .connectionLost(let reason)?: recording.reason = reason
      case let error?: recording.reason = error.errorDescription
      }
      return complete(.lost)
    }

    private mutating func complete(_ end: RecordedWebSocket.End) -> RecordedWebSocket {
      var complete = recording
      complete.end = end
      (isComplete, recording.frames, server) = (true, [], WebSocketFrameSplitter(keepsMessages: false))
      return complete
    }
  }

  private let limit: Int
  private let state: Lock<State>

  /// Creates a recorder.
  ///
  /// - Parameters:
  ///   - request: the request to open the WebSocket.
  ///   - limit: the maximum size of the recording in bytes.
  init(_ request: TransportRequest, limit: Int) {
    self.limit = limit
    state = Lock(State(recording: RecordedWebSocket(key: request.headers["Sec-WebSocket-Key"] ?? "")))
  }

  /// Returns the request with a body that counts the frames that the transport takes.
  func counting(_ request: TransportRequest) -> TransportRequest {
    guard case .stream(let stream) = request.body else { return request }
    let url = request.url
    let opening: BodyStream.Opening = { onBytesAvailable in
      guard let reader = try stream.open(stream.prepare(), onBytesAvailable: onBytesAvailable) else {
        throw TransferError.cannotRepeatBody(url: url)
      }
      return CountingReader(reader, self)
    }
    var request = request
    request.body = .stream(
      stream.mayBlock
        ? BodyStream(length: stream.length, isRepeatable: stream.isRepeatable, opening: opening)
        : BodyStream(
          .init(length: stream.length, opening: opening), isRepeatable: stream.isRepeatable))
    return request
  }

  /// Takes bytes of the client.
  fileprivate func send(_ bytes: UnsafeRawBufferPointer) {
    state.withLock { state in
      var (sent, isClosed) = state.current
      state.client.split(bytes) { frame in
        if !frame.isControl { sent += 1 } else if frame.opcode == 8 { isClosed = true }
      }
      (state.recording.sent, state.recording.isClosedByClient) = (sent, isClosed ? true : nil)
    }
  }

  /// Takes bytes of the server; returns the recording if they complete it.
  func receive(_ piece: Data) -> RecordedWebSocket? { state.withLock { $0.receive(piece, limit: limit) } }

  /// Returns the recording of a connection that has ended; `nil` if it was complete before.
  func finish(_ error: TransferError?) -> RecordedWebSocket? { state.withLock { $0.finish(error) } }
}

private final class CountingReader: BodyReader {
  private let reader: any BodyReader
  private let recorder: WebSocketRecorder

  init(_ reader: any BodyReader, _ recorder: WebSocketRecorder) {
    self.reader = reader
    self.recorder = recorder
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int? {
    let count = try reader.readChecked(into: buffer)
    if let count { recorder.send(UnsafeRawBufferPointer(rebasing: buffer.prefix(count))) }
    return count
  }
}
