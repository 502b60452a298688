import ReactiveNetworkLock
public import struct Foundation.URL

/// A real HTTP server on this machine for tests and examples: HTTP/1.1 and HTTP/2, with or without TLS, closures
/// as routes, faults on demand, and a log of the requests and connections that it has seen.
///
/// ```swift
/// let server = try LoopbackServer { request in
///   request.path == "/zen" ? .text("Keep it simple.") : .status(404)
/// }
/// server.route("GET", "/users/:name") { request in
///   .json(#"{"login": "\#(request.parameters["name"] ?? "")"}"#).delayed(by: .milliseconds(300))
/// }
/// server.route("/hangs") { _ in .never }
/// // … a client requests server.origin + "/hangs" and gives up …
/// try server.waitUntil { $0.abandoned.count == 1 }
/// ```
///
/// A single thread serves all connections, so thousands of pending requests cost little more than their
/// descriptors (see `Options.raisesDescriptorLimit`). The server stops when it is released, which in an optimised build happens after the last use of a
/// variable: if peers live longer, end the test with `server.stop()`. A handler must refer to its own server
/// weakly.
///
/// If a peer shuts down its sending side, the connection counts as closed, unless
/// `Options.answersHalfClosedClients` is set. The server notices this at once, unless more than 1 MiB of
/// pipelined requests is unread.
public final class LoopbackServer: Sendable {
  /// Returns the reply to a request; called on the server's thread, one call at a time, so it must not block.
  public typealias Handler = @Sendable (Request) -> Reply

  /// The port that the server listens on; 0 on a Unix socket.
  public let port: UInt16
  /// The server's URL, without a path, such as `http://127.0.0.1:PORT`; `http://localhost` on a Unix socket.
  public let baseURL: URL
  let state: ServerState
  private let thread: Lock<ServerThread?>

  /// Starts a server on 127.0.0.1.
  ///
  /// - Parameters:
  ///   - port: the port to listen on; 0 lets the system choose a free one.
  ///   - tls: how to speak TLS; `nil` for none.
  ///   - options: the limits of the server and of its log.
  ///   - handler: replies to the requests that no route matches; by default with 404.
  /// - Throws: `SystemError` for what failed, for instance `bind` if the port is in use, or `OpenSSL` if it is
  ///   not installed.
  public convenience init(
    port: UInt16 = 0, tls: TLS? = nil, options: Options = Options(),
    handler: @escaping Handler = { _ in .status(404) }
  ) throws(SystemError) {
    try self.init(on: .ipv4(port: port), tls: tls, options: options, handler: handler)
  }

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - address: where to listen.
  ///   - tls: how to speak TLS; `nil` for none.
  ///   - options: the limits of the server and of its log.
  ///   - handler: replies to the requests that no route matches; by default with 404.
  /// - Throws: `SystemError` for what failed, for instance `bind` if the port is in use, or `OpenSSL` if it is
  ///   not installed.
  public init(
    on address: Address, tls: TLS? = nil, options: Options = Options(),
    handler: @escaping Handler = { _ in .status(404) }
  ) throws(SystemError) {
    if options.raisesDescriptorLimit { raiseDescriptorLimit() }
    let state = try ServerState(options: options, tls: tls, handler: handler)
    let listener = try Listener(address)
    let queue = try EventQueue()
    let host =
      switch address {
      case .ipv4: "127.0.0.1:\(listener.port)"
      case .ipv6: "[::1]:\(listener.port)"
      case .unix: "localhost"
      }
    origin = "\(tls == nil ? "http" : "https")://\(host)"
    guard let url = URL(string: origin) else { throw SystemError(call: "URL", code: 0, message: origin) }
    self.state = state
    self.port = listener.port
    self.baseURL = url
    self.thread = Lock(
      try ServerThread.start { EventLoop(listener: listener, queue: queue, state: state).run() })
  }

  deinit {
    stop()
  }

  /// The server's URL as text, without a slash at the end: `server.origin + "/zen"`.
  public let origin: String

  /// Adds a route for all methods.
  ///
  /// - Parameters:
  ///   - pattern: a path whose segments are literal text; `:name` for one segment, which the handler finds in
  ///     `request.parameters`; or, as the last segment, `*` for any remainder.
  ///   - handler: replies to the requests that match.
  public func route(_ pattern: String, handler: @escaping Handler) {
    route(nil, pattern, handler: handler)
  }

  /// Adds a route; routes are tried in the order in which they were added, before the server's default
  /// handler.
  ///
  /// - Parameters:
  ///   - method: the method of the route; `nil` for all methods. `GET` also matches `HEAD`.
  ///   - pattern: a path whose segments are literal text; `:name` for one segment, which the handler finds in
  ///     `request.parameters`; or, as the last segment, `*` for any remainder.
  ///   - handler: replies to the requests that match.
  public func route(_ method: String?, _ pattern: String, handler: @escaping Handler) {
    state.router.add(Route(method: method, pattern: pattern, handler: handler))
  }

  /// The current log.
  ///
  /// A request is in the log before its handler runs. Once a peer has received the last byte of a response,
  /// the log counts that response.
  public var log: Log { state.logStore.snapshot.log }

  /// Stops the server: closes all connections and its port, and waits for its thread to end.
  ///
  /// Further calls have no effect. A call on the server's own thread does not wait.
  public func stop() {
    let running = thread.withLock { $0.take() }
    state.messages.post(.stop)
    running?.join()
  }
}
