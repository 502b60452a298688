import ReactiveNetworkLock

/// The state that the server and its thread share, so that the thread does not keep the server alive.
final class ServerState: Sendable {
  let options: LoopbackServer.Options
  let router: Router
  let logStore = LogStore()
  let messages: MessageQueue
  /// The WebSockets that other threads serve, by the number of their connection.
  let webSockets = Lock([Int: LoopbackServer.WebSocket]())

  init(
    options: LoopbackServer.Options, handler: @escaping LoopbackServer.Handler
  ) throws(LoopbackServer.SystemError) {
    self.options = options
    self.router = Router(fallback: handler)
    self.messages = try MessageQueue()
  }
}
