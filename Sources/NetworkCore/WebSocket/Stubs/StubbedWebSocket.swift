import Foundation
import ReactiveNetworkLock

/// The server's side of a stubbed WebSocket: it reads and writes the frames that would go over the network.
///
/// What it does happens one at a time, on the thread that causes it. May be used on any thread.
package final class StubbedWebSocket: Cancellable {
  private enum Action {
    /// The client has sent frames, or may have.
    case read
    case send([UInt8])
    case close([UInt8])
    case run(@Sendable () -> Void)
    case end(Result<Void, NetworkError>)
  }

  private struct State {
    var outbox = Outbox<Action>()
    var hasSentClose = false
    var isOver = false
    var isCancelled = false
    var timers: [any Cancellable] = []
    var receive: (@Sendable (WebSocketMessage) -> Void)?
    var onEnd: [@Sendable () -> Void] = []

    /// Notes the close frame; returns `false` if there was one before.
    mutating func sendsClose() -> Bool { !exchange(&hasSentClose, with: true) }
  }

  private let frames: WebSocketSendQueue
  private let receiver: BodyReceiver
  private let attempt: RequestAttempt
  private let scheduler: any DelayScheduler
  private let answersPings: Bool
  private let state = Lock(State())

  /// Creates the server's side of a connection.
  ///
  /// - Parameters:
  ///   - frames: the client's frames.
  ///   - receiver: receives the server's frames.
  ///   - attempt: the handshake.
  ///   - scheduler: measures the time.
  ///   - answersPings: whether to respond to pings.
  init(
    _ frames: WebSocketSendQueue, _ receiver: BodyReceiver, _ attempt: RequestAttempt,
    _ scheduler: any DelayScheduler, answersPings: Bool
  ) {
    self.frames = frames
    self.receiver = receiver
    self.attempt = attempt
    self.scheduler = scheduler
    self.answersPings = answersPings
  }

  /// Plays a script, until the connection ends.
  func play(_ script: WebSocketScript) {
    _ = frames.open { [weak self] in self?.perform(.read) }
    perform(
      .run {
        let receive = script.begin(on: self)
        self.state.withLock { if !$0.isOver { $0.receive = receive } }
        self.perform(.read)
      })
  }

  /// Sends a message to the client, unless the server has closed.
  package func send(_ message: WebSocketMessage) {
    perform(.send(WebSocketFrame.ofServer(message)))
  }

  /// Sends a close frame; the connection ends when the client responds.
  package func close(code: WebSocketCloseCode?, reason: String = "") {
    perform(.close(WebSocketFrame.close(code, reason: reason, isMasked: false)))
  }

  /// Ends the connection without a close frame.
  package func disconnect() {
    perform(.end(.success(())))
  }

  /// Ends the connection with an error.
  package func fail(_ error: NetworkError) {
    perform(.end(.failure(error)))
  }

  /// Runs an action after a delay, unless the connection has ended.
  func wait(for delay: Duration, _ action: @escaping @Sendable () -> Void) {
    let timer = scheduler.schedule(after: delay) { [weak self] in self?.perform(.run(action)) }
    let isOver = state.withLock { state in
      if !state.isOver { state.timers.append(timer) }
      return state.isOver
    }
    if isOver { timer.cancel() }
  }

  /// Runs an action when the connection has ended, or now.
  package func onEnd(_ action: @escaping @Sendable () -> Void) {
    let isOver = state.withLock { state in
      if !state.isOver { state.onEnd.append(action) }
      return state.isOver
    }
    if isOver { action() }
  }

  package var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Ends the connection because the client has ended it.
  package func cancel() {
    state.withLock { $0.isCancelled = true }
    release()
  }

  private func perform(_ new: Action) {
    var action = state.withLock { state in
      state.outbox.append(new)
      return state.outbox.start()
    }
    while let current = action {
      if !state.withLock({ $0.isOver }) { take(current) }
      action = state.withLock { $0.outbox.next() }
    }
  }

  private func take(_ action: Action) {
    switch action {
    case .read: read()
    case .send(let frame):
      if !state.withLock({ $0.hasSentClose }) { receiver.append(Data(frame)) }
    case .close(let frame):
      if state.withLock({ $0.sendsClose() }) { receiver.append(Data(frame)) }
    case .run(let action): action()
    case .end(let result):
      release()
      switch result {
      case .success: receiver.finish(nil)
      case .failure(let error): attempt.finish(.failure(error))
      }
    }
  }

  private func read() {
    // Messages wait for the script, which may not have begun.
    guard let receive = state.withLock({ $0.receive }), let frame = frames.next() else { return }
    let (opcode, payload) = WebSocketFrame.unmasked(frame)
    switch opcode {
    case .text: receive(.text(String(decoding: payload, as: UTF8.self)))
    case .ping: if answersPings { perform(.send(WebSocketFrame.ofServer(.pong, payload))) }
    case .close:
      if state.withLock({ $0.sendsClose() }) {
        receiver.append(Data(WebSocketFrame.ofServer(.close, payload)))
      }
      return perform(.end(.success(())))
    case .pong: break
    case .binary, .continuation: receive(.binary(Data(payload)))
    }
    // After the server's answer to this frame, which may be the end.
    perform(.read)
  }

  /// Releases what the connection holds.
  private func release() {
    let (timers, actions) = state.withLock { state in
      defer { (state.isOver, state.timers, state.onEnd, state.receive) = (true, [], [], nil) }
      return (state.timers, state.onEnd)
    }
    for timer in timers { timer.cancel() }
    for action in actions { action() }
  }
}
