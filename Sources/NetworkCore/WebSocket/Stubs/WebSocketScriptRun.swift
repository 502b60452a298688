import ReactiveNetworkLock

/// The steps of a `WebSocketScript` over one connection.
final class WebSocketScriptRun: Sendable {
  private struct State {
    var steps: ArraySlice<WebSocketScript.Step>
    var received = Queue<WebSocketMessage>()
    var isWaiting = false

    /// Removes and returns the next step, if it can be taken now, and the message that it receives.
    mutating func next() -> (step: WebSocketScript.Step, message: WebSocketMessage?)? {
      guard !isWaiting, let step = steps.first else { return nil }
      var message: WebSocketMessage?
      if case .receive = step {
        guard let first = received.popFirst() else { return nil }
        message = first
      }
      steps.removeFirst()
      if case .wait = step { isWaiting = true }
      return (step, message)
    }
  }

  private let socket: StubbedWebSocket
  private let state: Lock<State>

  init(_ steps: [WebSocketScript.Step], on socket: StubbedWebSocket) {
    self.socket = socket
    state = Lock(State(steps: steps[...]))
  }

  /// Takes a message of the client.
  func receive(_ message: WebSocketMessage) {
    state.withLock { _ = $0.received.append(message) }
    resume()
  }

  /// Takes the steps that can be taken now.
  func resume() {
    while let (step, message) = state.withLock({ $0.next() }) {
      switch step {
      case .send(let message): socket.send(message)
      case .receive(let expected):
        guard let message, message != expected else { continue }
        socket.fail(.underlying(UnexpectedMessageError(expected: expected, actual: message), nil))
      case .wait(let delay):
        socket.wait(for: delay) {
          self.state.withLock { state in state.isWaiting = false }
          self.resume()
        }
      case .close(let code, let reason): socket.close(code: code, reason: reason)
      case .disconnect: socket.disconnect()
      }
    }
  }
}
