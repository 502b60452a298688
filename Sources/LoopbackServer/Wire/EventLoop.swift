import ReactiveNetworkLock

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The loop on the server's thread: waits for sockets, messages and deadlines, and passes them to the
/// connections.
final class EventLoop {
  let state: ServerState
  /// The buffer into which all connections receive, one after the other.
  let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
  private var listener: Listener?
  /// The message pipe, the listener, and then the connections in the order of `connections`.
  private var entries: [pollfd]
  private var connections: [Connection] = []
  private var byID: [Int: Connection] = [:]
  private var timers = TimerQueue()
  private var lastID = 0
  private var isStopping = false

  /// The connection number that stands for the listener in a timer.
  private static let listenerID = 0
  private static let firstConnection = 2

  init(listener: Listener, state: ServerState) {
    self.listener = listener
    self.state = state
    self.entries = [
      pollfd(fd: state.messages.pipe.readEnd, events: Int16(POLLIN), revents: 0),
      pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0),
    ]
  }

  deinit {
    scratch.deallocate()
  }

  func run() {
    state.messages.attachReader()
    while !isStopping {
      let ready = waitForEvents(
        until: min(timers.nextDeadline ?? .max, state.logStore.notify(now: monotonicNow)))
      if entries[0].revents != 0 { readMessages() }
      for (connection, events) in ready where !isStopping { connection.handle(events) }
      if entries[1].revents != 0, !isStopping { acceptConnections() }
      fireTimers()
    }
    listener = nil
    for connection in connections { connection.stop() }
    for webSocket in state.webSockets.withLock({ $0.values }) { webSocket.abort() }
    state.router.removeAll()
    state.messages.detachReader()
    state.logStore.close()
  }

  /// Sets the events that a connection listens for.
  func listen(_ connection: Connection, for events: Int16) {
    entries[connection.slot + Self.firstConnection].events = events
  }

  /// Calls the connection's `resume` at `deadline`, unless another pause has begun by then.
  func wake(_ connection: Connection, at deadline: UInt64, pause: Int) {
    timers.add(.init(deadline: deadline, connection: connection.id, pause: pause))
  }

  /// Removes a connection that has been closed; the last one takes its slot.
  func remove(_ connection: Connection) {
    guard byID.removeValue(forKey: connection.id) != nil else { return }
    let slot = connection.slot
    let last = connections.removeLast()
    let entry = entries.removeLast()
    guard last !== connection else { return }
    connections[slot] = last
    entries[slot + Self.firstConnection] = entry
    last.slot = slot
  }

  private func waitForEvents(until deadline: UInt64) -> [(Connection, Int16)] {
    var timeout: Int32 = -1
    if deadline != .max {
      let now = monotonicNow()
      timeout = milliseconds(deadline > now ? deadline - now : 0)
    }
    var left = Int(poll(&entries, nfds_t(entries.count), timeout))
    guard left > 0 else {
      // After an interruption the entries still hold their previous values.
      for index in 0..<Self.firstConnection { entries[index].revents = 0 }
      return []
    }
    var ready: [(Connection, Int16)] = []
    for index in 0..<Self.firstConnection where entries[index].revents != 0 { left -= 1 }
    var slot = 0
    while left > 0, slot < connections.count {
      let events = entries[slot + Self.firstConnection].revents
      if events != 0 {
        ready.append((connections[slot], events))
        left -= 1
      }
      slot += 1
    }
    return ready
  }

  private func readMessages() {
    for message in state.messages.takeAll() {
      switch message {
      case .stop: isStopping = true
      case .webSocketEnded(let id): noteEnd(ofWebSocket: id)
      case .gateOpened(let id, let pause): byID[id]?.resume(pause: pause)
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
        // The listener would report ready again at once, so stop polling it for 20 ms.
        entries[1].events = 0
        timers.add(.init(deadline: monotonicNow() + 20_000_000, connection: Self.listenerID, pause: 0))
        return
      }
    }
  }

  private func open(_ descriptor: Int32) {
    lastID += 1
    let socket = Socket(accepted: descriptor, sendBufferSize: state.options.sendBufferSize)
    let connection = Connection(id: lastID, slot: connections.count, socket: socket, loop: self)
    connections.append(connection)
    entries.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
    byID[lastID] = connection
    state.logStore.record { log in
      log.connectionsAccepted += 1
      log.openConnections += 1
      log.peakConnections = max(log.peakConnections, log.openConnections)
    }
    // The request has usually arrived with the connection.
    connection.handle(Int16(POLLIN))
  }

  private func fireTimers() {
    guard timers.nextDeadline != nil else { return }
    let now = monotonicNow()
    while !isStopping, let timer = timers.popDue(at: now) {
      if timer.connection == Self.listenerID {
        entries[1].events = Int16(POLLIN)
      } else {
        byID[timer.connection]?.resume(pause: timer.pause)
      }
    }
  }
}
