import ReactiveNetworkLock

/// The messages from other threads to the server's thread.
final class MessageQueue: Sendable {
  enum Message: Sendable {
    /// The thread that served a WebSocket has closed the connection.
    case webSocketEnded(connection: Int)
    /// The gate that holds a connection's response has opened.
    case gateOpened(connection: Int, pause: Int)
    case stop
  }

  private struct State {
    var messages: [Message] = []
    var reader: ThreadID?
  }

  let pipe: WakePipe
  private let state = Lock(State())

  init() throws(LoopbackServer.SystemError) {
    pipe = try WakePipe()
  }

  /// Whether the calling thread is the one that reads the messages.
  var isOnServerThread: Bool { state.withLock { $0.reader } == .current }

  func attachReader() {
    state.withLock { $0.reader = .current }
  }

  func detachReader() {
    state.withLock { $0.reader = nil }
  }

  func post(_ message: Message) {
    let isFirst = state.withLock { state in
      state.messages.append(message)
      return state.messages.count == 1
    }
    if isFirst { pipe.wake() }
  }

  /// Makes the reader run one more round of its loop.
  func wake() {
    pipe.wake()
  }

  func takeAll() -> [Message] {
    pipe.drain()
    return state.withLock { exchange(&$0.messages, with: []) }
  }
}
