import ReactiveNetworkLock

/// The loop on the server's thread: waits for sockets, messages and deadlines, and passes them to the
/// connections.
final class EventLoop {
  let state: ServerState
  /// The buffer into which all connections receive, one after the other.
  let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
  private let queue: EventQueue
  private var listener: Listener?
  private var connections: [Int: Connection] = [:]
  private var timers = TimerQueue()
  private var lastID = 0
  private var isStopping = false

  /// The number that stands for the listener among those of the connections.
  private static let listenerID = 0
  private static let messagesKey = UInt64.max

  init(listener: Listener, queue: EventQueue, state: ServerState) {
    self.listener = listener
    self.queue = queue
    self.state = state
    queue.watch(state.messages.pipe.readEnd, as: Self.messagesKey, for: .readable, isNew: true)
    queue.watch(listener.descriptor, as: UInt64(Self.listenerID), for: .readable, isNew: true)
  }

  deinit {
    scratch.deallocate()
  }

  func run() {
    state.messages.attachReader()
    while !isStopping {
      waitForEvents(until: min(timers.nextDeadline ?? .max, state.logStore.notify(now: monotonicNow)))
      fireTimers()
    }
    listener = nil
    for connection in connections.values { connection.stop() }
    let webSockets = state.webSockets.withLock { Array($0.values) }
    for webSocket in webSockets { webSocket.abort() }
    state.logStore.record { log in
      log.pending -= webSockets.count
      log.brokenOff += webSockets.count
      log.openConnections -= webSockets.count
    }
    state.router.removeAll()
    state.messages.detachReader()
    state.logStore.close()
  }

  /// Sets the events that a connection listens for.
  func listen(_ connection: Connection, for events: SocketEvents) {
    queue.watch(connection.socket.descriptor, as: UInt64(connection.id), for: events)
  }

  /// Calls the connection's `resume` at `deadline`, unless another pause has begun by then.
  func wake(_ connection: Connection, at deadline: UInt64, pause: Int) {
    timers.add(.init(deadline: deadline, connection: connection.id, pause: pause))
  }

  /// Removes a connection whose socket is closed next or belongs to a WebSocket from now on.
  func remove(_ connection: Connection) {
    guard connections.removeValue(forKey: connection.id) != nil else { return }
    queue.forget(connection.socket.descriptor)
  }

  private func waitForEvents(until deadline: UInt64) {
    var timeout: Int32 = -1
    if deadline != .max {
      let now = monotonicNow()
      timeout = milliseconds(deadline > now ? deadline - now : 0)
    }
    do {
      for (key, events) in try queue.wait(milliseconds: timeout) where !isStopping {
        switch key {
        case Self.messagesKey: readMessages()
        case UInt64(Self.listenerID): acceptConnections()
        default: connections[Int(key)]?.handle(events)
        }
      }
    } catch {
      state.logStore.record { $0.failure = error }
      isStopping = true
    }
  }

  private func readMessages() {
    for message in state.messages.takeAll() {
      switch message {
      case .stop: isStopping = true
      case .webSocketEnded(let id): noteEnd(ofWebSocket: id)
      case .gateOpened(let id, let pause): connections[id]?.resume(pause: pause)
      }
    }
  }

  private func noteEnd(ofWebSocket id: Int) {
    _ = state.webSockets.withLock { $0.removeValue(forKey: id) }
    state.logStore.record { log in
      log.pending -= 1
      log.answered += 1
      log.openConnections -= 1
    }
  }

  private func acceptConnections() {
    guard let listener else { return }
    // Limited, so that a flood of connections does not starve the open ones.
    for _ in 0..<256 {
      switch listener.accept() {
      case .nothing: return
      case .descriptor(let descriptor): open(descriptor)
      case .exhausted:
        // The listener would report ready again at once, so stop watching it for 20 ms.
        listen(for: [])
        timers.add(.init(deadline: monotonicNow() + 20_000_000, connection: Self.listenerID, pause: 0))
        return
      }
    }
  }

  private func listen(for events: SocketEvents) {
    if let listener { queue.watch(listener.descriptor, as: UInt64(Self.listenerID), for: events) }
  }

  private func open(_ descriptor: Int32) {
    let tls = state.tls?.makeSession(for: descriptor)
    let socket = Socket(accepted: descriptor, sendBufferSize: state.options.sendBufferSize, tls: tls)
    let connection = Connection(id: lastID + 1, socket: socket, loop: self)
    // Without memory, the client sees the connection end.
    guard (state.tls == nil) == (tls == nil),
      queue.watch(descriptor, as: UInt64(connection.id), for: connection.interest, isNew: true)
    else { return socket.close() }
    lastID += 1
    connections[lastID] = connection
    state.logStore.record { log in
      log.connectionsAccepted += 1
      log.openConnections += 1
      log.peakConnections = max(log.peakConnections, log.openConnections)
    }
    // The request has usually arrived with the connection.
    connection.handle(.readable)
  }

  private func fireTimers() {
    guard timers.nextDeadline != nil else { return }
    let now = monotonicNow()
    while !isStopping, let timer = timers.popDue(at: now) {
      if timer.connection == Self.listenerID {
        listen(for: .readable)
      } else {
        connections[timer.connection]?.resume(pause: timer.pause)
      }
    }
  }
}
