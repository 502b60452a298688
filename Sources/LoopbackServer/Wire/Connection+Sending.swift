extension Connection {
  /// The time that the server waits for the peer to close its side after the server has closed its own.
  static let drainTime = Duration.seconds(2)
  private static let blockSize = 65_536
  /// The number of blocks after which other connections get a turn.
  private static let blocksPerTurn = 16

  enum FlushResult {
    case all
    case blocked
    case closed
  }

  /// Sends as much of the response as possible; returns `true` if nothing is left to send.
  func sendResponse() -> Bool {
    guard exchange != nil else { return flush(completing: nil) == .all }
    for _ in 0..<Self.blocksPerTurn where !isPaused {
      fillOutput()
      guard let step = exchange?.next else {
        guard flush(completing: nil) == .all else { return false }
        continue
      }
      var completed: ReplyWriter.End?
      if case .end(let end) = step { completed = end }
      guard flush(completing: completed) == .all else { return false }
      exchange?.next = nil
      switch step {
      case .more: break
      case .pause(let pause): self.pause(pause)
      case .end(.complete(let closes)):
        exchange = nil
        if closes { end(.close) }
        return phase == .serving
      case .end(.truncated(let ending)):
        exchange = nil
        end(ending)
        return false
      }
    }
    // The turn is over, but output is left: the next turn follows at once.
    if !isPaused { loop.wake(self, at: monotonicNow() + 1, pause: pauseCount) }
    return false
  }

  /// Resumes after a pause, unless `pause` is the number of an earlier one.
  func resume(pause: Int) {
    if let http2, phase == .serving {
      http2.resume(pause: pause)
      return advance()
    }
    guard pause == pauseCount else { return }
    switch phase {
    case .closed: return
    case .draining: peerClosed()
    case .serving:
      isPaused = false
      gateWait = nil
      advance()
    }
  }

  /// Closes the server's side of the connection.
  func end(_ ending: LoopbackServer.Reply.Ending) {
    switch ending {
    case .reset:
      release()
      loop.state.logStore.record { $0.openConnections -= 1 }
      loop.remove(self)
      socket.reset()
    case .close:
      // If the server closed while the peer is still sending, the system would reset the connection, and the
      // peer could lose data that it has not read yet.
      phase = .draining
      output = []
      outputStart = 0
      socket.endSending()
      pauseCount += 1
      loop.wake(self, at: monotonicNow().adding(Self.drainTime), pause: pauseCount)
      updateInterest()
    }
  }

  /// Sends what the streams of HTTP/2 have to send.
  func sendStreams(of http2: HTTP2Session) {
    for _ in 0..<Self.blocksPerTurn {
      if outputStart == output.count { http2.write(into: &output) }
      // Everything before has left, so that an event of TLS that waits for this can follow.
      guard outputStart < output.count || !http2.waitingForTLS.isEmpty else {
        guard let ending = http2.ending ?? (http2.isOver ? .close : nil) else { return updateInterest() }
        loop.state.logStore.record { log in http2.end { _, exchange in log.noteBrokenOff(exchange) } }
        return end(ending)
      }
      guard flush(completing: nil) == .all else { return updateInterest() }
    }
    // The turn is over, but output is left: the next turn follows at once.
    pauseCount += 1
    loop.wake(self, at: monotonicNow() + 1, pause: pauseCount)
  }

  /// Sends the pending output; counts the response in the same step that sends its last byte.
  func flush(completing end: ReplyWriter.End?) -> FlushResult {
    while true {
      let (result, left) = loop.state.logStore.record { log -> (SocketResult, Int) in
        var left = output.count - outputStart
        var result = SocketResult.bytes(0)
        if left > 0 {
          result = socket.send(output[outputStart...])
          if case .bytes(let count) = result {
            log.bytesSent += count
            left -= count
          }
        }
        if left == 0, let end { count(end, in: &log) }
        if left == 0, let http2 {
          let answered = http2.takeAnswered()
          log.pending -= answered
          log.answered += answered
        }
        return (result, left)
      }
      switch result {
      case .bytes(let count):
        outputStart += count
        exchange?.bytesSent += count
      case .wouldBlock: return .blocked
      case .end, .closed:
        peerClosed()
        return .closed
      }
      guard left == 0 else { continue }
      output.removeAll(keepingCapacity: output.capacity <= 4 * Self.blockSize)
      outputStart = 0
      return .all
    }
  }

  private func count(_ end: ReplyWriter.End, in log: inout LoopbackServer.Log) {
    log.pending -= 1
    switch end {
    case .complete: log.answered += 1
    case .truncated: log.brokenOff += 1
    }
  }

  /// Produces output until a block is full or a step other than `.more` follows.
  private func fillOutput() {
    while exchange?.next == nil, output.count - outputStart < Self.blockSize {
      guard let step = exchange?.writer.next(into: &output) else { return }
      if case .more = step { continue }
      exchange?.next = step
    }
  }

  private func pause(_ pause: LoopbackServer.Reply.Pause) {
    switch pause {
    case .tls(let event): socket.tls?.perform(event)
    case .http2: break
    case .forever, .time, .gate:
      let wait = wait(for: pause)
      (isPaused, gateWait) = (wait.isPaused, wait.gate)
    }
  }

  /// Begins a pause; `resume` is called with its number at its end.
  func wait(for pause: LoopbackServer.Reply.Pause) -> (number: Int, isPaused: Bool, gate: GateWait?) {
    pauseCount += 1
    switch pause {
    case .tls, .http2: return (pauseCount, false, nil)
    case .forever: return (pauseCount, true, nil)
    case .time(let duration):
      loop.wake(self, at: monotonicNow().adding(duration), pause: pauseCount)
      return (pauseCount, true, nil)
    case .gate(let gate):
      let token = gate.wait { [messages = loop.state.messages, id, pauseCount] in
        messages.post(.gateOpened(connection: id, pause: pauseCount))
      }
      return (pauseCount, token != nil, token.map { (gate, $0) })
    }
  }
}
