import CLoopbackServer
import ReactiveNetworkLock

/// The state that the server and its thread share, so that the thread does not keep the server alive.
final class ServerState: Sendable {
  let options: LoopbackServer.Options
  let tls: TLSContext?
  let router: Router
  let logStore = LogStore()
  let messages: MessageQueue
  /// The WebSockets that other threads serve, by the number of their connection.
  let webSockets = Lock([Int: LoopbackServer.WebSocket]())

  init(
    options: LoopbackServer.Options, tls: LoopbackServer.TLS?, handler: @escaping LoopbackServer.Handler
  ) throws(LoopbackServer.SystemError) {
    self.options = options
    if options.http2 != nil {
      let error = ErrorText()
      guard cloopback_http2_load(error.text, error.capacity) else { throw error.systemError("libnghttp2") }
    }
    self.tls = try tls.map { tls throws(LoopbackServer.SystemError) in
      var tls = tls
      if options.http2 != nil { tls.applicationProtocols.insert("h2", at: 0) }
      return try TLSContext(tls)
    }
    self.router = Router(fallback: handler)
    self.messages = try MessageQueue()
  }
}
