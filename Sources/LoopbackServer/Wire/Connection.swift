import ReactiveNetworkLock

import class Foundation.Thread

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

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
  let socket: Socket
  unowned let loop: EventLoop
  var slot: Int
  var phase = Phase.serving
  var exchange: Exchange?
  var output: [UInt8] = []
  var outputStart = 0
  /// Counts the pauses, so that a timer or gate of an earlier pause is ignored.
  var pauseCount = 0
  var isPaused = false
  var gateWait: (gate: LoopbackServer.Gate, token: Int)?
  private var parser: RequestParser
  private var unreported = 0

  init(id: Int, slot: Int, socket: Socket, loop: EventLoop) {
    self.id = id
    self.slot = slot
    self.socket = socket
    self.loop = loop
    self.parser = RequestParser(connection: id, options: loop.state.options)
  }

  /// Handles the events that `poll` reports for the socket.
  func handle(_ events: Int16) {
    switch phase {
    case .closed: return
    case .draining: discardInput()
    case .serving:
      if events & Int16(POLLOUT) != 0 { advance() }
      guard case .serving = phase else { return }
      if isReading {
        if events & ~Int16(POLLOUT) != 0 { readInput() }
      } else if events & (peerClosedEvent | Int16(POLLHUP) | Int16(POLLERR)) != 0 {
        peerClosed()
      }
    }
  }

  /// Responds to requests and reads further ones, until the connection must wait.
  func advance() {
    while case .serving = phase {
      guard sendResponse() else { break }
      switch parser.next() {
      case .needsMore:
        updateInterest()
        return
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
      if exchange != nil {
        log.pending -= 1
        log.brokenOff += 1
      }
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
      if let exchange {
        log.pending -= 1
        log.abandoned.append(
          .init(
            request: exchange.request, phase: exchange.bytesSent == 0 ? .waiting : .sending,
            bytesSent: exchange.bytesSent))
      } else if phase == .serving, let partial = parser.partial {
        log.abandoned.append(.init(request: partial, phase: .receiving, bytesSent: 0))
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
    var events = peerClosedEvent
    if phase == .draining || isReading { events |= Int16(POLLIN) }
    if phase == .serving, outputStart < output.count { events |= Int16(POLLOUT) }
    loop.listen(self, for: events)
  }

  private var isReading: Bool { parser.unread < Self.inputLimit }

  private func readInput() {
    switch socket.receive(into: loop.scratch) {
    case .wouldBlock: return
    case .closed: peerClosed()
    case .bytes(let count):
      unreported += count
      parser.append(UnsafeRawBufferPointer(rebasing: loop.scratch[..<count]))
      // A response in progress continues by itself; the input is only stored.
      if exchange == nil { advance() } else { updateInterest() }
      guard phase != .closed, unreported > 0 else { return }
      loop.state.logStore.record { $0.bytesReceived += unreported }
      unreported = 0
    }
  }

  private func discardInput() {
    while true {
      switch socket.receive(into: loop.scratch) {
      case .bytes(let count): loop.state.logStore.record { $0.bytesReceived += count }
      case .wouldBlock: return
      case .closed: return peerClosed()
      }
    }
  }

  private func respond(to received: LoopbackServer.Request) {
    var request = received
    let handler = loop.state.router.handler(for: &request)
    loop.state.logStore.record { log in
      log.requestCount += 1
      log.pending += 1
      log.bytesReceived += unreported
      if log.requests.count < loop.state.options.keptRequests { log.requests.append(request) }
    }
    unreported = 0
    var reply = handler(request)
    if let serve = reply.serveWebSocket {
      if let head = reply.handshakeHead(for: request) { return switchProtocols(request, head, serve) }
      reply = request.handshakeRefusal
    }
    exchange = Exchange(
      request: request,
      writer: ReplyWriter(
        reply, for: request.method, keepsAlive: parser.keepsAlive, isHTTP10: parser.isHTTP10))
  }

  /// Leaves the socket to a thread of its own.
  private func switchProtocols(
    _ request: LoopbackServer.Request, _ head: [UInt8],
    _ serve: @escaping @Sendable (LoopbackServer.WebSocket) -> Void
  ) {
    let webSocket = LoopbackServer.WebSocket(socket, request, input: parser.takeUnread())
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
