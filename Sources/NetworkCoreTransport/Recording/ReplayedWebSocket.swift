import Dispatch
import Foundation
import ReactiveNetworkLock

/// A WebSocket whose server is a recording.
final class ReplayedWebSocket: Cancellable {
  private struct State {
    var handler: (@Sendable (TransferEvent) -> Void)?
    var isCancelled = false
    var replay: WebSocketReplay
    var client = WebSocketFrameSplitter(keepsMessages: false)
    /// What the client sends; `nil` while it is read, and after its end.
    var reader: RequestBodyReader?
  }

  private let request: TransportRequest
  private let head: ResponseHead
  /// Runs all that is not called by the caller of the transport.
  private let queue: DispatchQueue
  private let state: Lock<State>

  init(
    _ recording: RecordedWebSocket, _ request: TransportRequest, _ head: ResponseHead,
    _ queue: DispatchQueue, _ handler: @escaping @Sendable (TransferEvent) -> Void
  ) {
    self.request = request
    self.head = head
    self.queue = queue
    let url = Redactor.standard.redacted(url: request.url)
    state = Lock(State(handler: handler, replay: WebSocketReplay(recording, url: url)))
  }

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  func cancel() {
    state.withLock { $0.isCancelled = true }
    queue.async { self.resume() }
  }

  /// Delivers the response to the handshake, and what follows.
  func begin() {
    guard deliver(isCancelled ? .finished(.cancelled) : .head(head)) else { return }
    do throws(TransferError) {
      let reader = try request.bodyReader { [self] in queue.async { self.resume() } }
      state.withLock { $0.reader = reader }
      resume()
    } catch {
      _ = deliver(.finished(error))
    }
  }

  /// Delivers what is due, and reads what the client has sent.
  private func resume() {
    guard deliverAll(), var reader = state.withLock({ $0.reader.take() }) else { return }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    do throws(TransferError) {
      while let count = try buffer.read(from: &reader), count > 0 {
        for frame in frames(in: buffer[..<count]) {
          state.withLock { $0.replay.receive(frame) }
          guard deliverAll() else { return reader.close() }
        }
      }
      state.withLock { $0.reader = reader }
    } catch {
      _ = deliver(.finished(error))
    }
  }

  private func frames(in bytes: ArraySlice<UInt8>) -> [WebSocketFrameSplitter.Frame] {
    state.withLock { state in
      var frames: [WebSocketFrameSplitter.Frame] = []
      bytes.withUnsafeBytes { state.client.split($0) { frames.append($0) } }
      return frames
    }
  }

  /// Delivers the events that are due; returns `false` after the end.
  private func deliverAll() -> Bool {
    while true {
      let event = state.withLock { $0.isCancelled ? .finished(.cancelled) : $0.replay.event() }
      guard let event else { return true }
      guard deliver(event) else { return false }
    }
  }

  /// Delivers an event; returns `false` after the end.
  private func deliver(_ event: TransferEvent) -> Bool {
    let isLast = if case .finished = event { true } else { false }
    let (handler, reader) = state.withLock { state in
      defer {
        if isLast { (state.handler, state.reader) = (nil, nil) }
      }
      return (state.handler, isLast ? state.reader : nil)
    }
    withExtendedLifetime(reader) {}
    handler?(event)
    return handler != nil && !isLast
  }
}

extension [UInt8] {
  /// Fills the array with the next bytes of a body; returns their number, as the reader does.
  fileprivate mutating func read(from reader: inout RequestBodyReader) throws(TransferError) -> Int? {
    try withUnsafeMutableBytes { buffer in
      Result { () throws(TransferError) in try reader.read(into: buffer) }
    }.get()
  }
}
