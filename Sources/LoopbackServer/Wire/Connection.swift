import ReactiveNetworkLock

import class Foundation.Thread

/// One connection: reads requests, responds to one after the other, and notices when the peer closes.
final class Connection {
  enum Phase {
    case serving
    /// The server has closed its side and discards input until the peer closes its own.
    case draining
    case closed
  }

  /// A request and the response that is being sent for it.
  struct Exchange {
    let request: LoopbackServer.Request
    var writer: ReplyWriter
    var bytesSent = 0
    /// The step to take once all output produced so far has been sent.
    var next: ReplyWriter.Step?
  }

  /// The number of unread bytes from which on the server stops reading until it has responded to more
  /// requests.
  static let inputLimit = 1 << 20

  let id: Int
  private(set) var socket: Socket
  unowned let loop: EventLoop
  var phase = Phase.serving
  var exchange: Exchange?
  var output: [UInt8] = []
  var outputStart = 0
  /// Counts the pauses, so that a timer or gate of an earlier pause is ignored.
  var pauseCount = 0
  var isPaused = false
  var gateWait: GateWait?
  /// The connection's HTTP/2; `nil` with HTTP/1.1.
  private(set) var http2: HTTP2Session?
  /// The first bytes, until they show whether the client speaks HTTP/2; `nil` afterwards.
  private var preface: [UInt8]?
  /// The events that the loop listens for.
  private(set) var interest: SocketEvents
  private var parser: RequestParser
  private var unreported = 0
  /// Whether the peer sends nothing more, and still waits for a response.
  private var isHalfClosed = false
  private(set) var handshake: LoopbackServer.Request.Handshake?

  typealias GateWait = (gate: LoopbackServer.Gate, token: Int)

  init(id: Int, socket: Socket, loop: EventLoop) {
    self.id = id
    self.socket = socket
    self.loop = loop
    self.parser = RequestParser(connection: id, options: loop.state.options)
    preface = loop.state.options.http2 == nil ? nil : []
    interest = socket.tls?.isStalled == true ? .closed : [.closed, .readable]
  }

  /// Handles the events of the socket.
  func handle(_ events: SocketEvents) {
    switch phase {
    case .closed: return
    case .draining: discardInput()
    case .serving:
      if events.contains(.writable) { advance() }
      guard case .serving = phase else { return }
      if isReading {
        let waitedForInput = socket.tls?.sendingWaitsForInput == true
        if events != .writable || socket.tls?.receivingWaitsForOutput == true { readInput() }
        if waitedForInput, phase == .serving, !isPaused { advance() }
      } else if !events.isDisjoint(with: [.closed, .ended]) {
        peerClosed()
      }
    }
  }

  /// Responds to requests and reads further ones, until the connection must wait.
  func advance() {
    if let http2 { return sendStreams(of: http2) }
    while case .serving = phase {
      guard sendResponse() else { break }
      switch parser.next() {
      case .needsMore: return isHalfClosed ? peerClosed() : updateInterest()
      case .continueExpected: output.append(contentsOf: "HTTP/1.1 100 Continue\r\n\r\n".utf8)
      case .request(let request): respond(to: request)
      case .rejected(let status): reject(status)
      }
    }
    updateInterest()
  }

  /// Closes the connection because the server stops.
  func stop() {
    guard phase != .closed else { return }
    loop.state.logStore.record { log in
      log.noteBrokenOff(exchange)
      http2?.end { _, exchange in log.noteBrokenOff(exchange) }
      log.openConnections -= 1
    }
    release()
    socket.close()
  }

  func peerClosed() {
    guard phase != .closed else { return }
    loop.state.logStore.record { log in
      log.openConnections -= 1
      log.bytesReceived += unreported
      http2?.end { request, exchange in log.noteAbandonment(request, exchange, loop.state.options) }
      if let exchange {
        log.noteAbandonment(exchange.request, exchange, loop.state.options)
      } else if phase == .serving, let partial = parser.partial {
        log.noteAbandonment(partial, nil, loop.state.options)
      }
    }
    release()
    loop.remove(self)
    socket.close()
  }

  /// Marks the connection as closed, and ends its waits for gates and timers.
  func release() {
    phase = .closed
    exchange = nil
    isPaused = false
    pauseCount += 1
    if let gateWait { gateWait.gate.cancel(gateWait.token) }
    gateWait = nil
  }

  func updateInterest() {
    guard phase != .closed else { return }
    var events: SocketEvents = isHalfClosed ? [] : .closed
    if phase == .draining || isReading { events.insert(.readable) }
    let hasOutput = phase == .serving && outputStart < output.count
    if hasOutput, socket.tls?.sendingWaitsForInput != true { events.insert(.writable) }
    if socket.tls?.receivingWaitsForOutput == true { events.insert(.writable) }
    guard events != interest else { return }
    interest = events
    loop.listen(self, for: events)
  }

  private var isReading: Bool {
    parser.unread < Self.inputLimit && !isHalfClosed && socket.tls?.isStalled != true
  }

  private func readInput() {
    switch socket.receive(into: loop.scratch) {
    case .wouldBlock: updateInterest()
    case .end where exchange != nil && loop.state.options.answersHalfClosedClients:
      isHalfClosed = true
      updateInterest()
    case .end, .closed:
      if let failure = socket.tls?.handshakeFailure { return endHandshake(failure) }
      peerClosed()
    case .bytes(let count):
      if handshake == nil { handshake = socket.tls?.handshake }
      unreported += count
      read(UnsafeRawBufferPointer(rebasing: loop.scratch[..<count]))
      guard phase != .closed, unreported > 0 else { return }
      loop.state.logStore.record { $0.bytesReceived += unreported }
      unreported = 0
    }
  }

  /// Lets the client read the alert that says why it is not let in.
  private func endHandshake(_ failure: String) {
    loop.state.logStore.record { $0.noteFailedHandshake(failure) }
    socket.tls = nil
    end(.close)
  }

  private func read(_ bytes: UnsafeRawBufferPointer) {
    guard http2 == nil else { return readStreams(bytes) }
    if var start = preface {
      start.append(contentsOf: bytes)
      preface = start
      let expected = HTTP2Session.preface
      guard start.starts(with: expected) || !expected.starts(with: start) else { return }
      preface = nil
      if start.starts(with: expected), let settings = loop.state.options.http2 {
        http2 = HTTP2Session(self, settings)
      }
      return start.withUnsafeBytes { http2 == nil ? parse($0) : readStreams($0) }
    }
    parse(bytes)
  }

  private func parse(_ bytes: UnsafeRawBufferPointer) {
    parser.append(bytes)
    // A response in progress continues by itself; the input is only stored.
    if exchange == nil { advance() } else { updateInterest() }
  }

  private func readStreams(_ bytes: UnsafeRawBufferPointer) {
    guard let http2 else { return }
    http2.receive(bytes)
    advance()
  }

  private func discardInput() {
    while true {
      switch socket.receive(into: loop.scratch) {
      case .bytes(let count): loop.state.logStore.record { $0.bytesReceived += count }
      case .wouldBlock: return
      case .end, .closed: return peerClosed()
      }
    }
  }

  /// Logs a request and returns its handler's reply.
  func reply(to request: inout LoopbackServer.Request) -> LoopbackServer.Reply {
    let handler = loop.state.router.handler(for: &request)
    loop.state.logStore.record { [request] log in
      log.requestCount += 1
      log.pending += 1
      log.bytesReceived += unreported
      log.keep(request, loop.state.options)
    }
    unreported = 0
    return handler(request)
  }

  private func respond(to received: LoopbackServer.Request) {
    var request = received
    request.handshake = handshake
    var reply = reply(to: &request)
    if let serve = reply.serveWebSocket {
      let isCompressed =
        reply.compressesWebSocket && request.offersCompression && MessageCompression.isAvailable
      // RFC 6455, section 4.1: a handshake is a request of HTTP/1.1 or later.
      if !parser.isHTTP10, let head = reply.handshakeHead(for: request, isCompressed: isCompressed) {
        let webSocket = LoopbackServer.WebSocket(
          socket, request, isCompressed: isCompressed, input: parser.takeUnread())
        return switchProtocols(to: webSocket, head, serve)
      }
      reply = request.handshakeRefusal
    }
    exchange = Exchange(
      request: request,
      writer: ReplyWriter(
        reply, for: request.method, keepsAlive: parser.keepsAlive, isHTTP10: parser.isHTTP10))
  }

  /// Leaves the socket to a thread of its own.
  private func switchProtocols(
    to webSocket: LoopbackServer.WebSocket, _ head: [UInt8],
    _ serve: @escaping @Sendable (LoopbackServer.WebSocket) -> Void
  ) {
    let state = loop.state
    release()
    loop.remove(self)
    state.webSockets.withLock { $0[id] = webSocket }
    Thread { [id] in
      webSocket.run(head, serve)
      state.messages.post(.webSocketEnded(connection: id))
    }.start()
  }

  private func reject(_ status: Int) {
    loop.state.logStore.record { $0.rejected += 1 }
    var head: [UInt8] = []
    var writer = ReplyWriter(.status(status), for: "GET", keepsAlive: false, isHTTP10: false)
    while case .more = writer.next(into: &head) {}
    output.append(contentsOf: head)
    _ = flush(completing: nil)
    if phase == .serving { end(.close) }
  }
}
